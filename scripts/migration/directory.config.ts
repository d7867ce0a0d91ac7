import { defineConfig } from "drizzle-kit";

export default defineConfig({
	dialect: "sqlite",
	schema: "./src/db/schema/*.ts",
	out: "./migrations",
	// wrangler reads one folder of numbered SQL files.
	migrations: { prefix: "index" },
});
