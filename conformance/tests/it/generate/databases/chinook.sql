CREATE TABLE "Artist" ("ArtistId" INTEGER NOT NULL, "Name" VARCHAR(120), CONSTRAINT "PK_Artist" PRIMARY KEY ("ArtistId"));
CREATE TABLE "Album" (
    "AlbumId" INTEGER NOT NULL,
    "Title" VARCHAR(160) NOT NULL,
    "ArtistId" INTEGER NOT NULL,
    CONSTRAINT "PK_Album" PRIMARY KEY ("AlbumId"),
    CONSTRAINT "FK_AlbumArtistId" FOREIGN KEY ("ArtistId") REFERENCES "Artist" ("ArtistId")
);
CREATE INDEX "IFK_AlbumArtistId" ON "Album" ("ArtistId");
CREATE TABLE "Employee" (
    "EmployeeId" INTEGER NOT NULL,
    "LastName" VARCHAR(20) NOT NULL,
    "FirstName" VARCHAR(20) NOT NULL,
    "Title" VARCHAR(30),
    "ReportsTo" INTEGER,
    "BirthDate" {datetime},
    "HireDate" {datetime},
    "Address" VARCHAR(70),
    "City" VARCHAR(40),
    "State" VARCHAR(40),
    "Country" VARCHAR(40),
    "PostalCode" VARCHAR(10),
    "Phone" VARCHAR(24),
    "Fax" VARCHAR(24),
    "Email" VARCHAR(60),
    CONSTRAINT "PK_Employee" PRIMARY KEY ("EmployeeId"),
    CONSTRAINT "FK_EmployeeReportsTo" FOREIGN KEY ("ReportsTo") REFERENCES "Employee" ("EmployeeId")
);
CREATE INDEX "IFK_EmployeeReportsTo" ON "Employee" ("ReportsTo");
CREATE TABLE "Customer" (
    "CustomerId" INTEGER NOT NULL,
    "FirstName" VARCHAR(40) NOT NULL,
    "LastName" VARCHAR(20) NOT NULL,
    "Company" VARCHAR(80),
    "Address" VARCHAR(70),
    "City" VARCHAR(40),
    "State" VARCHAR(40),
    "Country" VARCHAR(40),
    "PostalCode" VARCHAR(10),
    "Phone" VARCHAR(24),
    "Fax" VARCHAR(24),
    "Email" VARCHAR(60) NOT NULL,
    "SupportRepId" INTEGER,
    CONSTRAINT "PK_Customer" PRIMARY KEY ("CustomerId"),
    CONSTRAINT "FK_CustomerSupportRepId" FOREIGN KEY ("SupportRepId") REFERENCES "Employee" ("EmployeeId")
);
CREATE INDEX "IFK_CustomerSupportRepId" ON "Customer" ("SupportRepId");
CREATE TABLE "Genre" ("GenreId" INTEGER NOT NULL, "Name" VARCHAR(120), CONSTRAINT "PK_Genre" PRIMARY KEY ("GenreId"));
CREATE TABLE "Invoice" (
    "InvoiceId" INTEGER NOT NULL,
    "CustomerId" INTEGER NOT NULL,
    "InvoiceDate" {datetime} NOT NULL,
    "BillingAddress" VARCHAR(70),
    "BillingCity" VARCHAR(40),
    "BillingState" VARCHAR(40),
    "BillingCountry" VARCHAR(40),
    "BillingPostalCode" VARCHAR(10),
    "Total" NUMERIC(10,2) NOT NULL,
    CONSTRAINT "PK_Invoice" PRIMARY KEY ("InvoiceId"),
    CONSTRAINT "FK_InvoiceCustomerId" FOREIGN KEY ("CustomerId") REFERENCES "Customer" ("CustomerId")
);
CREATE INDEX "IFK_InvoiceCustomerId" ON "Invoice" ("CustomerId");
CREATE TABLE "MediaType" ("MediaTypeId" INTEGER NOT NULL, "Name" VARCHAR(120), CONSTRAINT "PK_MediaType" PRIMARY KEY ("MediaTypeId"));
CREATE TABLE "Track" (
    "TrackId" INTEGER NOT NULL,
    "Name" VARCHAR(200) NOT NULL,
    "AlbumId" INTEGER,
    "MediaTypeId" INTEGER NOT NULL,
    "GenreId" INTEGER,
    "Composer" VARCHAR(220),
    "Milliseconds" INTEGER NOT NULL,
    "Bytes" INTEGER,
    "UnitPrice" NUMERIC(10,2) NOT NULL,
    CONSTRAINT "PK_Track" PRIMARY KEY ("TrackId"),
    CONSTRAINT "FK_TrackAlbumId" FOREIGN KEY ("AlbumId") REFERENCES "Album" ("AlbumId"),
    CONSTRAINT "FK_TrackGenreId" FOREIGN KEY ("GenreId") REFERENCES "Genre" ("GenreId"),
    CONSTRAINT "FK_TrackMediaTypeId" FOREIGN KEY ("MediaTypeId") REFERENCES "MediaType" ("MediaTypeId")
);
CREATE INDEX "IFK_TrackAlbumId" ON "Track" ("AlbumId");
CREATE INDEX "IFK_TrackGenreId" ON "Track" ("GenreId");
CREATE INDEX "IFK_TrackMediaTypeId" ON "Track" ("MediaTypeId");
CREATE TABLE "InvoiceLine" (
    "InvoiceLineId" INTEGER NOT NULL,
    "InvoiceId" INTEGER NOT NULL,
    "TrackId" INTEGER NOT NULL,
    "UnitPrice" NUMERIC(10,2) NOT NULL,
    "Quantity" INTEGER NOT NULL,
    CONSTRAINT "PK_InvoiceLine" PRIMARY KEY ("InvoiceLineId"),
    CONSTRAINT "FK_InvoiceLineInvoiceId" FOREIGN KEY ("InvoiceId") REFERENCES "Invoice" ("InvoiceId"),
    CONSTRAINT "FK_InvoiceLineTrackId" FOREIGN KEY ("TrackId") REFERENCES "Track" ("TrackId")
);
CREATE INDEX "IFK_InvoiceLineInvoiceId" ON "InvoiceLine" ("InvoiceId");
CREATE INDEX "IFK_InvoiceLineTrackId" ON "InvoiceLine" ("TrackId");
CREATE TABLE "Playlist" ("PlaylistId" INTEGER NOT NULL, "Name" VARCHAR(120), CONSTRAINT "PK_Playlist" PRIMARY KEY ("PlaylistId"));
CREATE TABLE "PlaylistTrack" (
    "PlaylistId" INTEGER NOT NULL,
    "TrackId" INTEGER NOT NULL,
    CONSTRAINT "PK_PlaylistTrack" PRIMARY KEY ("PlaylistId", "TrackId"),
    CONSTRAINT "FK_PlaylistTrackPlaylistId" FOREIGN KEY ("PlaylistId") REFERENCES "Playlist" ("PlaylistId"),
    CONSTRAINT "FK_PlaylistTrackTrackId" FOREIGN KEY ("TrackId") REFERENCES "Track" ("TrackId")
);
CREATE INDEX "IFK_PlaylistTrackTrackId" ON "PlaylistTrack" ("TrackId");

INSERT INTO "Artist" VALUES (1, 'The Harbour Lights'), (2, 'Rosa & the Roots'), (3, NULL);
INSERT INTO "Album" VALUES (1, 'Tides', 1), (2, 'Low Water', 1), (3, 'Green', 2);
INSERT INTO "Employee" VALUES (1, 'Berg', 'Ann', 'Manager', NULL, '1962-02-18 00:00:00', '2002-08-14 09:30:00', '1 Quay', 'Oslo', NULL, 'Norway', '0150', NULL, NULL, 'ann@example.com');
INSERT INTO "Employee" ("EmployeeId", "LastName", "FirstName", "ReportsTo") VALUES (2, 'Ito', 'Ken', 1), (3, 'Silva', 'Rui', 1);
INSERT INTO "Customer" ("CustomerId", "FirstName", "LastName", "Email", "Country", "SupportRepId") VALUES (1, 'Mia', 'Koch', 'mia@example.com', 'Germany', 2), (2, 'Luc', 'Roy', 'luc@example.com', 'France', NULL);
INSERT INTO "Genre" VALUES (1, 'Folk'), (2, NULL);
INSERT INTO "Invoice" ("InvoiceId", "CustomerId", "InvoiceDate", "Total") VALUES (1, 1, '2021-01-01 00:00:00', 1.98), (2, 1, '2021-02-11 12:00:00', 0.99), (3, 2, '2021-03-04 08:15:30', 13.86);
INSERT INTO "MediaType" VALUES (1, 'MPEG audio file');
INSERT INTO "Track" VALUES (1, 'First Light', 1, 1, 1, 'A. Berg', 343719, 11170334, 0.99), (2, 'Undertow', 1, 1, 1, NULL, 205662, NULL, 0.99), (3, 'Leaves', 3, 1, NULL, NULL, 233926, 5510424, 1.29), (4, 'Single', NULL, 1, 2, NULL, 1000, 1, 0.49);
INSERT INTO "InvoiceLine" VALUES (1, 1, 1, 0.99, 1), (2, 1, 2, 0.99, 1), (3, 2, 3, 0.99, 1), (4, 3, 4, 0.49, 2);
INSERT INTO "Playlist" VALUES (1, 'Music'), (2, 'Quiet');
INSERT INTO "PlaylistTrack" VALUES (1, 1), (1, 2), (1, 3), (2, 3)
