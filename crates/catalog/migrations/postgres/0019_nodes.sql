-- Nodes that take events together, each with a log of its own in each epoch; decision 0037 says by which rules. Times are
-- those of the database.

-- Numbers are never given twice, because names of objects begin with them. Starting raises the epoch, and so does a node
-- that is to adopt the log of another one: until that starts again, the epoch is nobody's, and the adopter stands here.
CREATE TABLE node (
    number  BIGINT NOT NULL PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    build   TEXT NOT NULL,
    epoch   BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    adopter BIGINT
);

-- The logs whose epoch was raised. One that was not adopted yet is read from its objects.
CREATE TABLE node_log (
    node       BIGINT NOT NULL REFERENCES node (number),
    epoch      BIGINT NOT NULL,
    raised_at  BIGINT NOT NULL,
    adopted_at BIGINT,
    PRIMARY KEY (node, epoch)
);

-- Up to which sequence the events of a dataset in a log are in segments, and which commit has moved it there.
CREATE TABLE node_mark (
    dataset_id TEXT NOT NULL,
    node       BIGINT NOT NULL,
    epoch      BIGINT NOT NULL,
    sequence   BIGINT NOT NULL,
    moved      BIGINT NOT NULL,
    PRIMARY KEY (dataset_id, node, epoch)
);
CREATE INDEX node_mark_by_log ON node_mark (node, epoch);

-- Which log may store the request that came with a key. It is settled by the commit that publishes its events. It does not
-- refer to the dataset, which can be deleted while a key is claimed.
CREATE TABLE ingest_claim (
    dataset_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    node       BIGINT NOT NULL,
    epoch      BIGINT NOT NULL,
    PRIMARY KEY (dataset_id, key)
);
CREATE INDEX ingest_claim_by_log ON ingest_claim (node, epoch);

-- One row: the number of the newest node; how many epochs were raised and logs adopted, by which readers see that there
-- are others; and the newest commit of whose removed segments some are forgotten. What has changed since an earlier commit
-- nobody can tell any more.
CREATE TABLE node_counter (
    id        BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    last_node BIGINT NOT NULL,
    counter   BIGINT NOT NULL,
    forgotten BIGINT NOT NULL
);
INSERT INTO node_counter (id, last_node, counter, forgotten) SELECT 1, 0, 0, value FROM commit_sequence;
