-- Where a dataset was asked to be kept, as clients of the public service say it. A self-hosted installation has one place
-- for all of them, so the words are only kept.
ALTER TABLE dataset ADD COLUMN region TEXT NOT NULL DEFAULT '';
ALTER TABLE dataset ADD COLUMN edge_deployment TEXT NOT NULL DEFAULT '';
