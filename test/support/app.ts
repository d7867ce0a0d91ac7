// Tests use the whole platform as a function when they give it dependencies of their own, and play all of its endpoints.
export { createApp } from "../../src/app.ts";
export { endpoints } from "../../src/compose/endpoints.ts";
