-- Which datasets were deleted, for some weeks. A process that finds objects or events of a dataset that is not there knows
-- by this that it was deleted, maybe by another one, and that the catalogue is not an old copy of itself.

CREATE TABLE deleted_dataset (
    dataset_id TEXT NOT NULL PRIMARY KEY,
    deleted_at BIGINT NOT NULL
);
