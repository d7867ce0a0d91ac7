import { defineConfig } from "drizzle-kit";

export default defineConfig({
	dialect: "sqlite",
	driver: "durable-sqlite",
	schema: "src/features/events/webhooks/object/schema.ts",
	out: "src/features/events/webhooks/object/migrations",
});
