// Gathers all views, because page.ts loads them together for the first request of a page.
export { renderAgent } from "./agent.tsx";
export { renderBoardPage } from "./board-page.tsx";
export { renderError } from "./error-page.tsx";
export { renderHome } from "./home.tsx";
export { renderResults } from "./results.tsx";
export { renderTask } from "./task.tsx";
export { renderTasks } from "./task-list.tsx";
export { readTaskSections } from "./task-sections.tsx";
