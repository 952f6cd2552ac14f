-- What people define on top of stored events: virtual fields of datasets, and views.

-- The place tells the order of creation within a dataset: an expression may use the fields before it.
CREATE TABLE virtual_field (
    id          TEXT PRIMARY KEY,
    dataset_id  TEXT NOT NULL REFERENCES dataset (id),
    place       BIGINT NOT NULL,
    name        TEXT NOT NULL,
    expression  TEXT NOT NULL,
    description TEXT NOT NULL,
    kind        TEXT NOT NULL,
    unit        TEXT NOT NULL,
    created     BIGINT NOT NULL,
    created_by  TEXT NOT NULL,
    modified    BIGINT NOT NULL,
    UNIQUE (dataset_id, name)
);
CREATE INDEX virtual_field_by_place ON virtual_field (dataset_id, place);

-- Names are shared with datasets: a query may name either.
CREATE TABLE saved_view (
    id          TEXT PRIMARY KEY,
    org_id      TEXT NOT NULL REFERENCES org (id),
    name        TEXT NOT NULL,
    apl         TEXT NOT NULL,
    datasets    TEXT NOT NULL,
    description TEXT NOT NULL,
    created     BIGINT NOT NULL,
    created_by  TEXT NOT NULL,
    modified    BIGINT NOT NULL,
    UNIQUE (org_id, name)
);
