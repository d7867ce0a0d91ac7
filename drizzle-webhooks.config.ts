import { defineConfig } from "drizzle-kit";

export default defineConfig({
	dialect: "sqlite",
	driver: "durable-sqlite",
	schema: "./src/features/webhooks/object/schema.ts",
	out: "./src/features/webhooks/object/migrations",
});
