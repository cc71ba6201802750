CREATE TABLE customers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name VARCHAR(100) NOT NULL,
    mail VARCHAR(100)
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    amount DECIMAL(18, 2) NOT NULL,
    ordered DATE NOT NULL
);
INSERT INTO customers (name, mail) VALUES ('Ann', 'ann@example.com'), ('Bob', NULL);
INSERT INTO orders (customer_id, amount, ordered) VALUES
    (1, 120.5, '2026-01-31'), (1, 30, '2026-02-01'), (2, 250, '2026-02-14');
