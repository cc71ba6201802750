CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN percentage AS NUMERIC(5,2) CHECK (VALUE BETWEEN 0 AND 100);
CREATE TABLE everything (
    id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 100 INCREMENT BY 5) PRIMARY KEY,
    tags TEXT[] NOT NULL DEFAULT '{}',
    numbers INTEGER[],
    reals REAL[],
    doc JSON,
    docb JSONB NOT NULL DEFAULT '{}',
    key UUID,
    at TIMESTAMPTZ(3),
    cost MONEY,
    part percentage,
    spot POINT,
    feeling mood,
    net INET NOT NULL,
    doubled NUMERIC GENERATED ALWAYS AS (part * 2) STORED
);
COMMENT ON TABLE everything IS 'One of each [type]
in two lines';
COMMENT ON COLUMN everything.tags IS 'Words, as in `a <b>`';
CREATE UNIQUE INDEX one_key ON everything (key) WHERE key IS NOT NULL;
CREATE INDEX by_words ON everything (LOWER(doc->>'a'));
CREATE SCHEMA other;
CREATE TABLE other.people (id SERIAL PRIMARY KEY, friend INTEGER REFERENCES public.people (id));
CREATE TABLE abroad (id SERIAL PRIMARY KEY, other_id INTEGER REFERENCES other.people (id));
CREATE MATERIALIZED VIEW kept AS SELECT id, tags FROM everything;

INSERT INTO everything (tags, numbers, reals, doc, docb, key, at, cost, part, spot, feeling, net) VALUES ('{a,b}', '{1,2}', '{1.5}', '{"a": 1}', '[1]', '00000000-0000-0000-0000-000000000001', '2024-01-31 10:00:00+02', 12.5, 50, '(1,2)', 'ok', '127.0.0.1'), ('{}', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, '::1');
INSERT INTO abroad (other_id) VALUES (NULL);
REFRESH MATERIALIZED VIEW kept
