// Updates the databases in STATE_DIR. scripts/wrangler-build.mjs runs it.
import { runCommand } from "./support/command.ts";
import { migrateLocally } from "./support/local-database.ts";
import { readPlace } from "./support/platform.ts";

await runCommand(() => migrateLocally(readPlace().stateDir));
