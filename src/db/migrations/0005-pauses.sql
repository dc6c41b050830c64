-- Reviews of a pull request that a person paused, and requests by labels and for reviewers.

alter table pull_requests add column paused_by text;

alter table check_requests
  add column subject text,
  drop constraint check_requests_kind_check,
  add constraint check_requests_kind_check check (kind in (
    'review', 'dismiss_minor', 'merge_group', 'labeled', 'unlabeled', 'reviewer_requested'));
