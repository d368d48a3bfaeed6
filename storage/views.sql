-- The documented views: what SQL users and other programs read. They use no functions of ours, so that any SQLite or
-- PostgreSQL client can read them. Dropped and made anew whenever a catalog's schema is brought up to date.

CREATE VIEW wheels AS
SELECT w.id, w.package, w.version, w.local, w.build, w.python, w.abi, w.platform, w.os, w.arch, w.glibc, w.musl,
       w.accelerator, w.cuda, w.cuda_from, w.cuda_conflict, w.rocm, w.torch, w.torch_from, w.cxx11abi,
       w."commit", w.date, w.sm, w.sm_from, w.sm_read,
       w.filename, w.url, w.sha256, w.size, w.uploaded_at, c.name AS channel, NULLIF(w.tag, '') AS tag,
       w.first_seen, COALESCE(w.last_listed_at, p.last_read_at) AS last_seen, w.vanished_at,
       w.yanked, w.yank_reason, w.replaced,
       CASE WHEN w.claims > 1 AND w.sha256 IS NULL THEN 1 ELSE 0 END AS hash_conflict,
       w.requires_python, w.metadata_sha256, w.version_key, w.valid, w.problem
FROM wheel w JOIN page p ON p.id = w.page_id JOIN channel c ON c.id = w.channel_id;

CREATE VIEW wheel_tags AS
SELECT wheel_id, python, abi, platform FROM wheel_tag;

CREATE VIEW releases AS
SELECT p.id, c.name AS channel, p.tag, p.url, p.kind, p.title, p.published_at, p.updated_at, p.prerelease, p.immutable,
       p.announced, p.project_status, p.project_status_reason, p.tracks, p.alternate_locations, p.first_seen, p.last_read_at,
       p.tried_at, p.shape, p.reason,
       p.complete, p.next_check_at, p.gone_since
FROM page p JOIN channel c ON c.id = p.channel_id;

CREATE VIEW channels AS
SELECT c.id, c.name AS channel, c.repository, c.repository_id, c.status, c.cause, c.detail, c.last_walk_at,
       c.last_complete_at, c.not_before, c.gone_since, s.name AS superseded_by
FROM channel c LEFT JOIN channel s ON s.id = c.superseded_by;

CREATE VIEW ledger AS
SELECT s.id, s.wheel_id, w.filename, s.url, s.algorithm, s.digest,
       CASE WHEN s.algorithm = 'sha256' THEN s.digest END AS sha256, s.size, s.uploaded_at, s.first_seen,
       COALESCE(s.last_seen, w.last_listed_at, p.last_read_at) AS last_seen,
       CASE WHEN s.last_seen IS NULL THEN 1 ELSE 0 END AS is_current
FROM sighting s JOIN wheel w ON w.id = s.wheel_id JOIN page p ON p.id = w.page_id;

CREATE VIEW history AS
SELECT e.id, e.wheel_id, w.filename, e.at, e.kind, e.run_id
FROM event e JOIN wheel w ON w.id = e.wheel_id;

CREATE VIEW problems AS
SELECT x.id, c.name AS channel, p.tag, x.url, x.code, x.detail, x.first_seen, x.last_seen, x.run_id
FROM problem x JOIN channel c ON c.id = x.channel_id LEFT JOIN page p ON p.id = x.page_id;

CREATE VIEW crawl_runs AS
SELECT r.id, r.command, r.started_at, r.ended_at, r.status, c.name AS channel, k.status AS channel_status, k.cause, k.detail,
       k.requests, k.not_modified, k.releases, k.added, k.changed, k.vanished, k.problems, k.ended_at AS channel_ended_at
FROM run r LEFT JOIN walk k ON k.run_id = r.id LEFT JOIN channel c ON c.id = k.channel_id;

CREATE VIEW libraries AS
SELECT l.id, l.wheel_id, l.member, l.size, l.crc32, l.machine, l.soname, l.undefined, l.torch_symbols, l.gpu_read, l.read, l.read_at
FROM library l;

CREATE VIEW needed AS
SELECT l.wheel_id, l.member, n.position, n.soname AS needed
FROM need n JOIN library l ON l.id = n.library_id;

CREATE VIEW symbols AS
SELECT s.id, l.wheel_id, l.member, s.name, s.demangled, s.defined, s.weak, s.version
FROM symbol s JOIN library l ON l.id = s.library_id;

CREATE VIEW gpu_targets AS
SELECT l.wheel_id, l.member, g.kind, g.target
FROM gpu_target g JOIN library l ON l.id = g.library_id;

CREATE VIEW verdicts AS
SELECT id, wheel_id, torch, torch_version, torch_cuda, torch_sha256, exact, verdict, basis, reasons, missing, why, judged_at
FROM verdict;
