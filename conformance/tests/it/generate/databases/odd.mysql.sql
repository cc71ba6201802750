CREATE TABLE everything (
    id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY COMMENT 'Its number',
    tiny TINYINT UNSIGNED NOT NULL DEFAULT 3,
    signed_one TINYINT,
    flag TINYINT(1) NOT NULL DEFAULT 1,
    wide BIGINT UNSIGNED,
    y YEAR,
    doc JSON,
    size ENUM('small', 'large') NOT NULL DEFAULT 'small',
    many SET('a', 'b'),
    bits BIT(8) NOT NULL,
    at TIMESTAMP(3) NULL,
    exact DECIMAL(30,10),
    raw VARBINARY(20),
    spot POINT,
    doubled BIGINT AS (tiny * 2) VIRTUAL,
    KEY by_raw (raw, tiny)
) COMMENT 'One of each type';

INSERT INTO everything (tiny, signed_one, wide, y, doc, many, bits, at, exact, raw, spot) VALUES (255, -128, 18446744073709551615, 2024, '[1]', 'a,b', b'101', '2024-01-31 10:00:00', 1.5, {bytes}, POINT(1, 2));
INSERT INTO everything (bits) VALUES (b'0')
