CREATE TABLE "type" ("self" INTEGER NOT NULL PRIMARY KEY, "crate" VARCHAR(10), "2nd line" VARCHAR(10), "a b" INTEGER, "a_b" INTEGER, "Größe" INTEGER, "#" INTEGER);
CREATE TABLE "types" ("id" {serial}, "async" VARCHAR(10) DEFAULT 'it''s', "upper" INTEGER);
CREATE TABLE "2fa codes" ("code" VARCHAR(40) NOT NULL PRIMARY KEY, "used" BOOLEAN NOT NULL DEFAULT FALSE);
CREATE TABLE "options" ("name" VARCHAR(40) NOT NULL, "value" VARCHAR(40));
CREATE TABLE "option_columns" ("id" INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE people (
    id {serial},
    full_name VARCHAR(80) NOT NULL,
    email VARCHAR(80) NOT NULL,
    boss_id {int},
    mentor_id {int},
    born DATE,
    wakes TIME,
    joined {datetime} NOT NULL,
    score {double},
    small SMALLINT,
    big BIGINT,
    photo {blob},
    note TEXT,
    CONSTRAINT one_email UNIQUE (email),
    CONSTRAINT has_boss FOREIGN KEY (boss_id) REFERENCES people (id) ON DELETE SET NULL,
    CONSTRAINT has_mentor FOREIGN KEY (mentor_id) REFERENCES people (id)
);
CREATE TABLE teams (
    country CHAR(2) NOT NULL,
    number INTEGER NOT NULL,
    lead_id {int},
    title VARCHAR(40) NOT NULL,
    twice INTEGER GENERATED ALWAYS AS (number * 2) STORED,
    CONSTRAINT teams_key PRIMARY KEY (number, country),
    CONSTRAINT one_title UNIQUE (country, title),
    CONSTRAINT has_lead FOREIGN KEY (lead_id) REFERENCES people (id)
);
CREATE TABLE memberships (
    person_id {int} NOT NULL,
    team_country CHAR(2) NOT NULL,
    team_number INTEGER NOT NULL,
    former_country CHAR(2),
    former_number INTEGER,
    invited_by VARCHAR(80),
    CONSTRAINT memberships_key PRIMARY KEY (person_id, team_country, team_number),
    CONSTRAINT of_person FOREIGN KEY (person_id) REFERENCES people (id) ON DELETE CASCADE,
    CONSTRAINT of_team FOREIGN KEY (team_number, team_country) REFERENCES teams (number, country),
    CONSTRAINT former_team FOREIGN KEY (former_number, former_country) REFERENCES teams (number, country),
    CONSTRAINT by_email FOREIGN KEY (invited_by) REFERENCES people (email)
);
CREATE INDEX by_former ON memberships (former_country, former_number);
CREATE VIEW team_sizes AS SELECT team_country, team_number, COUNT(*) AS size FROM memberships GROUP BY team_country, team_number;

INSERT INTO "type" VALUES (1, 'x', 'y', 1, 2, 3, 4), (2, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "types" ("upper") VALUES (5), (6);
INSERT INTO "2fa codes" VALUES ('abc', TRUE), ('def', FALSE);
INSERT INTO "options" VALUES ('a', 'b'), ('a', 'b'), ('c', NULL);
INSERT INTO "option_columns" VALUES (1);
INSERT INTO people (full_name, email, born, wakes, joined, score, small, big, photo, note) VALUES ('Ann', 'ann@example.com', '1990-05-06', '06:30:00', '2020-01-02 03:04:05', 1.5, -3, 9007199254740993, {bytes}, 'boss');
INSERT INTO people (full_name, email, boss_id, mentor_id, joined) VALUES ('Ben', 'ben@example.com', 1, 1, '2021-01-01 00:00:00'), ('Cem', 'cem@example.com', 1, 2, '2022-01-01 00:00:00');
INSERT INTO teams (country, number, lead_id, title) VALUES ('NO', 1, 1, 'Core'), ('NO', 2, NULL, 'Web');
INSERT INTO memberships VALUES (1, 'NO', 1, NULL, NULL, NULL), (2, 'NO', 1, 'NO', 2, 'ann@example.com'), (3, 'NO', 2, NULL, NULL, NULL)
