-- Every trigger of the database, as it stands today. Edit this file, then run: npm run migration -- --name what_changes
-- docs/architecture/changes.md says when a trigger is right, docs/contributing.md which SQL Cloudflare rejects.

-- Webhooks -------------------------------------------------------------------------------------------------------------

-- Makes the webhooks of an agent count toward the limits of their hosts, or not, as its new tier says.
-- A trigger, because claiming an agent and the admin command both change the tier.
CREATE TRIGGER webhook_tier_changed AFTER UPDATE OF tier ON agents WHEN old.tier <> new.tier
BEGIN
	UPDATE webhooks SET is_capped = new.tier IN ('anonymous', 'operator_child') WHERE agent_id = new.id AND active = 1;
END;

-- Audit log --------------------------------------------------------------------------------------------------------------

-- Keeps the audit log as it was written. Triggers, because a rule in the code does not bind a command or a later feature.
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;

-- The same for deleting rows.
CREATE TRIGGER audit_log_undeleted BEFORE DELETE ON audit_log
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
