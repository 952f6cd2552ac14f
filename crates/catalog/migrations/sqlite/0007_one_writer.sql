-- Who may publish segments. Each process that takes the lease makes the epoch larger, and whoever publishes checks the
-- epoch in the same transaction: a process that has lost the lease changes nothing any more. The times are those of the
-- database. The sequences of the node that has the lease are above the floor.
CREATE TABLE writer_lease (
    id             BIGINT PRIMARY KEY CHECK (id = 1),
    node_id        TEXT NOT NULL,
    epoch          BIGINT NOT NULL,
    host           TEXT NOT NULL,
    process        BIGINT NOT NULL,
    address        TEXT NOT NULL,
    taken_at       BIGINT NOT NULL,
    ends_at        BIGINT NOT NULL,
    sequence_floor BIGINT NOT NULL
);
INSERT INTO writer_lease (id, node_id, epoch, host, process, address, taken_at, ends_at, sequence_floor)
    VALUES (1, '', 0, '', 0, '', 0, 0, 0);

-- Up to which sequence the events of a node that gave the lease to another are in segments. The empty node stands for
-- whoever wrote before there were leases.
CREATE TABLE flush_mark (
    node_id    TEXT NOT NULL,
    dataset_id TEXT NOT NULL,
    sequence   BIGINT NOT NULL,
    PRIMARY KEY (node_id, dataset_id)
);
CREATE INDEX flush_mark_by_dataset ON flush_mark (dataset_id);
