// The platform without extensions, as `EXTENSIONS=none npm start` runs it. It exports what whole.ts does.
import type { MiddlewareHandler } from "hono";
import type { ErrorForm } from "../http/error-handler.ts";
import type { HonoEnv } from "../http/hono-env.ts";
import type { EventListener } from "../ports/deps.ts";
import type { Extension } from "../ports/extension.ts";
import type { AddedSweeps } from "../ports/joints.ts";
import { coreOperations } from "./core-operations.ts";
import { makeTaskParts } from "./task-parts.ts";

export const operations = coreOperations;

export const TASK_PARTS = makeTaskParts({ listeners: [], holdings: [] });

export const ERROR_FORMS: readonly ErrorForm[] = [];

export function createMiddlewares(): MiddlewareHandler<HonoEnv>[] {
	return [];
}

export const ADDED_SWEEPS: AddedSweeps = {};

export const DIRECTORY_LISTENERS: readonly EventListener[] = [];

export const EXTENSIONS: readonly Extension[] = [];
