// Decides whether the grader's container is deployed with the Worker. wrangler builds its image with Docker.
import { spawn } from "node:child_process";
import { CommandError } from "../support/command.ts";
import type { Deployment } from "./preparation.ts";

/** Neither builds nor changes a container. */
export const NO_ROLLOUT = ["--containers-rollout", "none"] as const;

/**
 * Decides to deploy the container only when GRADER_CONTAINER asks for it, and no grader elsewhere takes its place.
 *
 * @throws CommandError when it is wanted and there is no Docker to build it.
 */
export async function decideOnContainer({ vars }: Deployment, secrets: ReadonlySet<string>): Promise<boolean> {
	const isElsewhere = "GRADER_URL" in vars || secrets.has("GRADER_URL");
	if (isElsewhere || vars["GRADER_CONTAINER"] !== "true") return false;
	const docker = process.env["WRANGLER_DOCKER_BIN"] || "docker";
	if (await answers(docker)) return true;
	throw new CommandError(
		`The grader's container is built with Docker, and ${docker} does not run here. Start it, or set GRADER_CONTAINER = "false" in wrangler.toml.

Submissions to tasks that run an image then need a grader elsewhere; see “The grader” in docs/deploying.md.`,
	);
}

function answers(docker: string): Promise<boolean> {
	return new Promise((resolve) => {
		const child = spawn(docker, ["info"], { stdio: "ignore" });
		child.once("error", () => resolve(false));
		child.once("close", (code) => resolve(code === 0));
	});
}

/** For `wrangler deploy`. A Worker must not promise a container that it does not have. */
export function containerArguments({ vars }: Deployment, hasContainer: boolean): string[] {
	if (hasContainer) return [];
	return [...NO_ROLLOUT, ...(vars["GRADER_CONTAINER"] === "true" ? ["--var", "GRADER_CONTAINER:false"] : [])];
}
