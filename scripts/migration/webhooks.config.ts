import { defineConfig } from "drizzle-kit";

export default defineConfig({
	dialect: "sqlite",
	driver: "durable-sqlite",
	schema: "src/core/events/webhooks/object/schema.ts",
	out: "src/core/events/webhooks/object/migrations",
});
