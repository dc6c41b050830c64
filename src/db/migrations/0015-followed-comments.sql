-- Comments are listed where no delivery brings them.

-- Comments from before this time of the host were answered; null if none were listed yet.
alter table reconciliations add column comments_until timestamptz;
