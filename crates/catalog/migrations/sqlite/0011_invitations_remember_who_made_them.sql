-- An invitation remembers who made it, with which token or grant, and with which rights: it is good for as long as they
-- could make it again. Of those from before nobody knows it, so they are good no more, and are made anew.
ALTER TABLE invitation ADD COLUMN issuer TEXT NOT NULL DEFAULT '';
ALTER TABLE invitation ADD COLUMN issuer_token TEXT;
ALTER TABLE invitation ADD COLUMN issuer_role TEXT;
ALTER TABLE invitation ADD COLUMN issuer_capabilities TEXT NOT NULL DEFAULT '{}';
CREATE INDEX invitation_by_issuer ON invitation (issuer);
