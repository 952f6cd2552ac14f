-- An API token can be made to end with the membership of who made it. Those from before outlive it, as they did.
ALTER TABLE token ADD COLUMN ends_with_membership BOOLEAN NOT NULL DEFAULT FALSE;
