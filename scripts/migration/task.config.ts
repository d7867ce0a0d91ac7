import { defineConfig } from "drizzle-kit";

/** Describes the database of each Task object. `npm run migration -- --of task` writes its migrations. */
export default defineConfig({
	dialect: "sqlite",
	driver: "durable-sqlite",
	schema: "./src/db/task/schema/*.ts",
	out: "./src/db/task/migrations",
});
