// Tests that replace dependencies call the whole platform as a function, and play all of its endpoints.
export { createApp } from "../../src/app.ts";
export { endpoints } from "../../src/compose/endpoints.ts";
