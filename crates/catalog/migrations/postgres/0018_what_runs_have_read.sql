-- What the runs of monitors have found stays for those who may query what was read then, whatever a monitor reads now. An
-- epoch of a monitor begins with the revision in which its query, or what it may read, was changed.
ALTER TABLE monitor ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
UPDATE monitor SET epoch = revision;

-- What runs of an epoch may read: names of datasets and of views, as JSON lists.
CREATE TABLE monitor_reads (
    monitor_id TEXT NOT NULL REFERENCES monitor (id) ON DELETE CASCADE,
    org_id     TEXT NOT NULL REFERENCES org (id),
    epoch      BIGINT NOT NULL,
    datasets   TEXT NOT NULL,
    views      TEXT NOT NULL,
    PRIMARY KEY (monitor_id, epoch)
);
CREATE INDEX monitor_reads_by_org ON monitor_reads (org_id, monitor_id, epoch);
INSERT INTO monitor_reads (monitor_id, org_id, epoch, datasets, views)
    SELECT id, org_id, epoch, datasets, views FROM monitor;

-- Null where nobody knows it: what was found before the last change of a monitor may be of another query.
ALTER TABLE monitor_check ADD COLUMN epoch BIGINT;
UPDATE monitor_check SET epoch = (SELECT monitor.epoch FROM monitor
    WHERE monitor.id = monitor_check.monitor_id AND monitor.modified < monitor_check.finished);
ALTER TABLE annotation ADD COLUMN epoch BIGINT;
UPDATE annotation SET epoch = (SELECT monitor.epoch FROM monitor
    WHERE monitor.id = annotation.monitor_id AND monitor.modified < annotation.created)
    WHERE monitor_id IS NOT NULL;
