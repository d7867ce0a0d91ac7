// Provides the operator of the tests' deployment. vitest.config.ts configures the token.
import { createClient } from "./client.ts";

export const ADMIN_TOKEN = `svc_admin_${"a".repeat(64)}`;

export const admin = createClient({ key: ADMIN_TOKEN });
