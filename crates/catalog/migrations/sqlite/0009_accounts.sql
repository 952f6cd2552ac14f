-- Accounts: an address proves nothing, so several accounts can have the same one, and a membership counts once its
-- person accepted it by the link of the organisation that added them.

-- What a person signs in with: the address for the first account that was set up for it, the id for every other.
ALTER TABLE person RENAME COLUMN email TO sign_in;
ALTER TABLE person ADD COLUMN email TEXT NOT NULL DEFAULT '';
UPDATE person SET email = sign_in;
CREATE INDEX person_by_email ON person (email, id);

-- Whom nobody can act as yet does not hold the address.
UPDATE person SET sign_in = id
WHERE NOT EXISTS (SELECT 1 FROM password w WHERE w.person_id = person.id)
    AND NOT EXISTS (SELECT 1 FROM identity i WHERE i.person_id = person.id)
    AND NOT EXISTS (SELECT 1 FROM token t WHERE t.person_id = person.id)
    AND NOT EXISTS (SELECT 1 FROM membership m WHERE m.person_id = person.id AND m.accepted IS NOT NULL);

-- A link belongs to the membership that it accepts, and ends with it. Those of the operator stay in password_link,
-- whose org_id is not used any more.
CREATE TABLE invitation (
    org_id     TEXT NOT NULL,
    person_id  TEXT NOT NULL,
    digest     TEXT NOT NULL UNIQUE,
    created    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, person_id),
    FOREIGN KEY (org_id, person_id) REFERENCES membership (org_id, person_id) ON DELETE CASCADE
);
CREATE INDEX invitation_by_end ON invitation (expires_at);

INSERT INTO invitation (org_id, person_id, digest, created, expires_at)
SELECT l.org_id, l.person_id, l.digest, l.created, l.expires_at
FROM password_link l JOIN membership m ON m.org_id = l.org_id AND m.person_id = l.person_id
WHERE m.accepted IS NULL;
DELETE FROM password_link WHERE org_id IS NOT NULL;

-- A membership that waits stands on a person of its own, whom nobody can act as. One that others gave to an account
-- moves to a new person; its roles, groups and link go with it.
CREATE TABLE moved_membership AS
SELECT m.org_id, m.person_id, 'user_' || lower(hex(randomblob(16))) AS new_id FROM membership m
WHERE m.accepted IS NULL AND (
    EXISTS (SELECT 1 FROM password w WHERE w.person_id = m.person_id)
    OR EXISTS (SELECT 1 FROM identity i WHERE i.person_id = m.person_id)
    OR EXISTS (SELECT 1 FROM token t WHERE t.person_id = m.person_id)
    OR EXISTS (SELECT 1 FROM membership o WHERE o.person_id = m.person_id AND o.org_id <> m.org_id)
);
INSERT INTO person (id, sign_in, email, name, created)
SELECT n.new_id, n.new_id, p.email, p.name, p.created
FROM moved_membership n JOIN person p ON p.id = n.person_id;
INSERT INTO membership (org_id, person_id, role, created, main_role)
SELECT m.org_id, n.new_id, m.role, m.created, m.main_role
FROM moved_membership n JOIN membership m ON m.org_id = n.org_id AND m.person_id = n.person_id;
UPDATE custom_role_member SET person_id = (
    SELECT n.new_id FROM moved_membership n
    WHERE n.org_id = custom_role_member.org_id AND n.person_id = custom_role_member.person_id)
WHERE EXISTS (
    SELECT 1 FROM moved_membership n
    WHERE n.org_id = custom_role_member.org_id AND n.person_id = custom_role_member.person_id);
UPDATE person_group_member SET person_id = (
    SELECT n.new_id FROM moved_membership n
    WHERE n.org_id = person_group_member.org_id AND n.person_id = person_group_member.person_id)
WHERE EXISTS (
    SELECT 1 FROM moved_membership n
    WHERE n.org_id = person_group_member.org_id AND n.person_id = person_group_member.person_id);
UPDATE invitation SET person_id = (
    SELECT n.new_id FROM moved_membership n
    WHERE n.org_id = invitation.org_id AND n.person_id = invitation.person_id)
WHERE EXISTS (
    SELECT 1 FROM moved_membership n
    WHERE n.org_id = invitation.org_id AND n.person_id = invitation.person_id);
DELETE FROM membership WHERE EXISTS (
    SELECT 1 FROM moved_membership n
    WHERE n.org_id = membership.org_id AND n.person_id = membership.person_id);
DROP TABLE moved_membership;
