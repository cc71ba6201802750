CREATE TABLE kept (k TEXT PRIMARY KEY, v ANY, n "VARYING CHARACTER"(20), guess UNSIGNED BIG INT) WITHOUT ROWID;
CREATE TABLE checked (id INTEGER PRIMARY KEY, price DECIMAL(10,2) CHECK (price > 0), at DATETIME, flag BOOLEAN, CONSTRAINT nearly CHECK (price < 1000));
CREATE INDEX cheap ON checked (price) WHERE price < 10;
CREATE INDEX rounded ON checked (ROUND(price));
CREATE VIRTUAL TABLE words USING fts5(word, meaning);
CREATE VIEW untyped AS SELECT id, price * 2 AS doubled FROM checked;

INSERT INTO kept VALUES ('a', 'x', 'y', 7);
INSERT INTO checked VALUES (1, 9.5, '2024-01-31 10:00:00', 1), (2, NULL, NULL, NULL);
INSERT INTO words VALUES ('isogloss', 'a line on a map')
