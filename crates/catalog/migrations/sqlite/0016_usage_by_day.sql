-- What organisations use, by day and dataset, beside the sums by month that the licence is compared with.

-- Days are those of UTC. The dataset is a name, which stays when the dataset is gone; it is empty for what belongs to
-- none, and for what goes beyond the names that one day has room for. The cost is in gigabytes times milliseconds.
CREATE TABLE usage_by_day (
    org_id         TEXT NOT NULL REFERENCES org (id),
    day            TEXT NOT NULL,
    dataset        TEXT NOT NULL,
    ingested_bytes BIGINT NOT NULL,
    query_cost     BIGINT NOT NULL,
    PRIMARY KEY (org_id, day, dataset)
);
CREATE INDEX usage_by_day_by_day ON usage_by_day (day);
