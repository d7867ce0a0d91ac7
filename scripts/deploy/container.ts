// Whether the grader's container is deployed with the Worker. wrangler builds its image with Docker.
import { spawn } from "node:child_process";
import { CommandError } from "../support/command.ts";
import type { Deployment } from "./preparation.ts";

/** Left to us: wrangler does not know it. */
const WITHOUT_CONTAINER = "--without-container";

/** Neither builds nor changes a container. */
export const NO_ROLLOUT = ["--containers-rollout", "none"] as const;

/** The deployment as the arguments want it. */
export function withoutContainerIfDeclined(deployment: Deployment, args: readonly string[]): Deployment {
	if (!args.includes(WITHOUT_CONTAINER)) return deployment;
	return { ...deployment, vars: { ...deployment.vars, GRADER_CONTAINER: "false" } };
}

/**
 * Whether to deploy the container: not when it is declined, and not when a grader at another address takes its place.
 *
 * @throws CommandError when it is wanted and there is no Docker to build it.
 */
export async function decideOnContainer({ vars }: Deployment, secrets: ReadonlySet<string>): Promise<boolean> {
	const hasAddress = "GRADER_URL" in vars || secrets.has("GRADER_URL");
	if (hasAddress || vars["GRADER_CONTAINER"] !== "true") return false;
	const docker = process.env["WRANGLER_DOCKER_BIN"] || "docker";
	if (await answers(docker)) return true;
	throw new CommandError(
		`The grader's container is built with Docker, and ${docker} does not answer here. Start it, or deploy without the container:

  npm run deploy -- ${WITHOUT_CONTAINER}

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

/** What `wrangler deploy` is told, of the arguments that we were given. */
export function deployArguments(args: readonly string[], hasContainer: boolean): string[] {
	const passed = args.filter((arg) => arg !== WITHOUT_CONTAINER);
	return hasContainer ? passed : [...passed, ...NO_ROLLOUT, "--var", "GRADER_CONTAINER:false"];
}
