CREATE TABLE "Categories" (
    "CategoryID" {serial},
    "CategoryName" VARCHAR(15) NOT NULL,
    "Description" TEXT,
    "Picture" {blob}
);
CREATE INDEX "CategoryName" ON "Categories" ("CategoryName");
CREATE TABLE "CustomerDemographics" (
    "CustomerTypeID" CHAR(10) NOT NULL PRIMARY KEY,
    "CustomerDesc" TEXT
);
CREATE TABLE "Customers" (
    "CustomerID" CHAR(5) NOT NULL PRIMARY KEY,
    "CompanyName" VARCHAR(40) NOT NULL,
    "ContactName" VARCHAR(30),
    "ContactTitle" VARCHAR(30),
    "Address" VARCHAR(60),
    "City" VARCHAR(15),
    "Region" VARCHAR(15),
    "PostalCode" VARCHAR(10),
    "Country" VARCHAR(15),
    "Phone" VARCHAR(24),
    "Fax" VARCHAR(24)
);
CREATE INDEX "City" ON "Customers" ("City");
CREATE TABLE "CustomerCustomerDemo" (
    "CustomerID" CHAR(5) NOT NULL,
    "CustomerTypeID" CHAR(10) NOT NULL,
    PRIMARY KEY ("CustomerID", "CustomerTypeID"),
    FOREIGN KEY ("CustomerID") REFERENCES "Customers" ("CustomerID"),
    FOREIGN KEY ("CustomerTypeID") REFERENCES "CustomerDemographics" ("CustomerTypeID")
);
CREATE TABLE "Employees" (
    "EmployeeID" {serial},
    "LastName" VARCHAR(20) NOT NULL,
    "FirstName" VARCHAR(10) NOT NULL,
    "Title" VARCHAR(30),
    "BirthDate" DATE,
    "HireDate" DATE,
    "Photo" {blob},
    "Notes" TEXT,
    "ReportsTo" {int},
    FOREIGN KEY ("ReportsTo") REFERENCES "Employees" ("EmployeeID")
);
CREATE TABLE "Region" ("RegionID" INTEGER NOT NULL PRIMARY KEY, "RegionDescription" CHAR(50) NOT NULL);
CREATE TABLE "Territories" (
    "TerritoryID" VARCHAR(20) NOT NULL PRIMARY KEY,
    "TerritoryDescription" CHAR(50) NOT NULL,
    "RegionID" INTEGER NOT NULL,
    FOREIGN KEY ("RegionID") REFERENCES "Region" ("RegionID")
);
CREATE TABLE "EmployeeTerritories" (
    "EmployeeID" {int} NOT NULL,
    "TerritoryID" VARCHAR(20) NOT NULL,
    PRIMARY KEY ("EmployeeID", "TerritoryID"),
    FOREIGN KEY ("EmployeeID") REFERENCES "Employees" ("EmployeeID"),
    FOREIGN KEY ("TerritoryID") REFERENCES "Territories" ("TerritoryID")
);
CREATE TABLE "Shippers" ("ShipperID" {serial}, "CompanyName" VARCHAR(40) NOT NULL, "Phone" VARCHAR(24));
CREATE TABLE "Suppliers" (
    "SupplierID" {serial},
    "CompanyName" VARCHAR(40) NOT NULL,
    "HomePage" TEXT
);
CREATE TABLE "Products" (
    "ProductID" {serial},
    "ProductName" VARCHAR(40) NOT NULL,
    "SupplierID" {int},
    "CategoryID" {int},
    "QuantityPerUnit" VARCHAR(20),
    "UnitPrice" DECIMAL(19,4) DEFAULT 0,
    "UnitsInStock" SMALLINT DEFAULT 0,
    "UnitsOnOrder" SMALLINT DEFAULT 0,
    "ReorderLevel" SMALLINT DEFAULT 0,
    "Discontinued" BOOLEAN NOT NULL DEFAULT FALSE,
    CONSTRAINT "CK_Products_UnitPrice" CHECK ("UnitPrice" >= 0),
    FOREIGN KEY ("SupplierID") REFERENCES "Suppliers" ("SupplierID"),
    FOREIGN KEY ("CategoryID") REFERENCES "Categories" ("CategoryID")
);
CREATE TABLE "Orders" (
    "OrderID" {serial},
    "CustomerID" CHAR(5),
    "EmployeeID" {int},
    "OrderDate" {datetime},
    "RequiredDate" {datetime},
    "ShippedDate" {datetime},
    "ShipVia" {int},
    "Freight" DECIMAL(19,4) DEFAULT 0,
    "ShipName" VARCHAR(40),
    FOREIGN KEY ("CustomerID") REFERENCES "Customers" ("CustomerID"),
    FOREIGN KEY ("EmployeeID") REFERENCES "Employees" ("EmployeeID"),
    FOREIGN KEY ("ShipVia") REFERENCES "Shippers" ("ShipperID")
);
CREATE TABLE "Order Details" (
    "OrderID" {int} NOT NULL,
    "ProductID" {int} NOT NULL,
    "UnitPrice" DECIMAL(19,4) NOT NULL DEFAULT 0,
    "Quantity" SMALLINT NOT NULL DEFAULT 1,
    "Discount" {float} NOT NULL DEFAULT 0,
    PRIMARY KEY ("OrderID", "ProductID"),
    CONSTRAINT "CK_Discount" CHECK ("Discount" >= 0 AND "Discount" <= 1),
    FOREIGN KEY ("OrderID") REFERENCES "Orders" ("OrderID"),
    FOREIGN KEY ("ProductID") REFERENCES "Products" ("ProductID")
);
CREATE VIEW "Current Product List" AS SELECT "ProductID", "ProductName" FROM "Products" WHERE NOT "Discontinued";
CREATE VIEW "Order Details Extended" AS
    SELECT d."OrderID", d."ProductID", p."ProductName", d."UnitPrice", d."Quantity", d."Discount",
        d."UnitPrice" * d."Quantity" AS "ExtendedPrice"
    FROM "Products" p JOIN "Order Details" d ON p."ProductID" = d."ProductID";

INSERT INTO "Categories" ("CategoryName", "Description", "Picture") VALUES ('Beverages', 'Teas and coffees', {bytes}), ('Seafood', NULL, NULL);
INSERT INTO "CustomerDemographics" VALUES ('RETAIL', 'Shops');
INSERT INTO "Customers" ("CustomerID", "CompanyName", "City") VALUES ('HARBO', 'Harbour Stores', 'Bergen'), ('MILLX', 'Mill Ltd', NULL);
INSERT INTO "CustomerCustomerDemo" VALUES ('HARBO', 'RETAIL');
INSERT INTO "Employees" ("LastName", "FirstName", "Title", "BirthDate", "HireDate", "Notes") VALUES ('Moe', 'Kari', 'Sales', '1968-12-08', '1992-05-01', 'Fluent in German');
INSERT INTO "Employees" ("LastName", "FirstName", "ReportsTo") VALUES ('Lund', 'Per', 1);
INSERT INTO "Region" VALUES (1, 'Eastern'), (2, 'Western');
INSERT INTO "Territories" VALUES ('01581', 'Westboro', 1), ('98004', 'Bellevue', 2);
INSERT INTO "EmployeeTerritories" VALUES (1, '01581'), (2, '98004'), (2, '01581');
INSERT INTO "Shippers" ("CompanyName") VALUES ('Speedy'), ('United');
INSERT INTO "Suppliers" ("CompanyName") VALUES ('Exotic'), ('Local');
INSERT INTO "Products" ("ProductName", "SupplierID", "CategoryID", "UnitPrice", "Discontinued") VALUES ('Chai', 1, 1, 18.0, FALSE), ('Chang', 1, 1, 19.25, FALSE), ('Old Cod', 2, 2, NULL, TRUE);
INSERT INTO "Orders" ("CustomerID", "EmployeeID", "OrderDate", "ShipVia", "Freight") VALUES ('HARBO', 1, '1996-07-04 00:00:00', 1, 32.38), ('HARBO', 2, '1996-07-05 10:00:00', 2, 11.61), (NULL, NULL, NULL, NULL, NULL);
INSERT INTO "Order Details" VALUES (1, 1, 14, 12, 0), (1, 2, 9.8, 10, 0.25), (2, 3, 34.8, 5, 0)
