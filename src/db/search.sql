-- The full-text index of published tasks. The trigger task_search_changed fills it.
-- It is outside of drizzle, which knows no virtual tables. When this file changes, npm run migration drops these tables,
-- creates them again and fills them.

-- It keeps no text of its own. facets holds one token for the status, one for the category, and one that 12,500 consecutive documents
-- share. All begin with an underscore, which neither the text of a task nor the words of a query contain
-- (src/features/search/rules.ts).
CREATE VIRTUAL TABLE task_search USING fts5(
	title, description, category, specs, facets,
	content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2 tokenchars '_'", prefix='2 3 4'
);

-- The vocabulary of the index: how many tasks have a word, and which words complete a prefix.
CREATE VIRTUAL TABLE task_search_words USING fts5vocab('task_search', 'instance');

-- Fills a new index from the tasks that are there, through the trigger.
UPDATE tasks SET title = title WHERE status <> 'draft';
