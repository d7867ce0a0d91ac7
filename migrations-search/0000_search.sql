-- The full-text index of published tasks. src/core/competition/search reads and writes it, and npm run admin -- rebuild-search fills it again.

-- The index knows tasks by number, in the order of their publication. A row stays while its task is hidden.
CREATE TABLE searched_tasks (
	document INTEGER PRIMARY KEY,
	task_id TEXT NOT NULL UNIQUE,
	-- The state of the task that the index has. An older one never replaces it.
	revision INTEGER NOT NULL,
	-- The words of the title, folded, by which matches are ranked.
	title TEXT NOT NULL
);

-- It keeps no text of its own. No query looks for words in the last three columns, so no text of a task can pass for a status, a category
-- or a reader.
CREATE VIRTUAL TABLE task_search USING fts5(
	title, description, category, specs, status, exact_category, readers,
	content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3 4'
);
