// Every view of the pages, in one module that service.ts loads when the first page is asked for.
export { renderError } from "./error-page.tsx";
export { renderHome } from "./home.tsx";
export { renderTask } from "./task.tsx";
export { renderTasks } from "./task-list.tsx";
