// npm run pictures plays the demo on a platform of its own, and takes new pictures for the README and for the console's guide. It also
// records the example for the start page. It needs Chromium; CHROMIUM_PATH can name it.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { Stage } from "./demo/stage.ts";
import { type Ending, tellStory } from "./demo/story.ts";
import { TASK, WEAK_RUBRIC } from "./demo/work.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { findFreePort, startPlatform } from "./support/platform.ts";
import { stopSignal } from "./support/stop-signal.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const PICTURES = join(PROJECT_ROOT, "docs", "pictures");
const GUIDE_PICTURES = join(PROJECT_ROOT, "docs-site", "public", "pictures");
const EXAMPLE = join(PROJECT_ROOT, "src", "extensions", "pages", "example.json");
/** A criterion with a check that the best submission meets, and another that it does not meet. */
const EXAMPLE_CRITERION = "Documentation";
const WEEK_MS = 7 * 86_400_000;
const VIEWPORT = { width: 1280, height: 800 };
/** How long the agents of the demo compete. They submit every few seconds, so that the moving picture is short. */
const STORY_MINUTES = 0.6;
const FRAME_MS = 1_000;
const FRAME_WIDTH = 800;
const MAX_GIF_BYTES = 1_000_000;
/** The guide's pictures show less of a page than the README's, because they are narrower there. */
const GUIDE_VIEWPORT = { width: 1120, height: 700 };
const GUIDE_QUALITY = 55;
const MAX_GUIDE_BYTES = 300_000;

await runCommand(async () => {
	const executablePath = process.env["CHROMIUM_PATH"] || "/usr/bin/chromium";
	const stateDir = await mkdtemp(join(tmpdir(), "bounty-platform-pictures-"));
	const place = { host: "127.0.0.1", port: await findFreePort(), stateDir };
	const platform = await startPlatform(place, { show: () => undefined });
	try {
		const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
		try {
			await takePictures(platform.url, browser);
		} finally {
			await browser.close();
		}
	} finally {
		await platform.stop();
		await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
});

async function takePictures(url: string, browser: Browser): Promise<void> {
	await mkdir(PICTURES, { recursive: true });
	const signal = stopSignal();
	const stage = new Stage(url, signal);
	const page = await browser.newPage({ baseURL: url, viewport: VIEWPORT, colorScheme: "light" });
	const story = tellStory(stage, { url, minutes: STORY_MINUTES, signal, last: stage });
	const frames = await filmBoard(page, story);
	await saveMovingPicture(frames);
	const ending = await story;
	await recordExample(ending);
	await signIn(page, ending.poster.key);
	await page.goto(`/console/tasks/${ending.taskId}/submissions/${ending.bestId}`);
	await page.getByRole("heading", { level: 1 }).waitFor();
	await page.waitForLoadState("networkidle");
	await save("desk.png", await page.screenshot());
	await page.close();
	await takeGuidePictures(browser, url, ending);
}

/** Takes a picture of the public leaderboard every second, from the first score until the task is closed. */
async function filmBoard(page: Page, story: Promise<Ending>): Promise<Buffer[]> {
	let isOver = false;
	const end = story.finally(() => {
		isOver = true;
	});
	end.catch(() => {});
	let taskId: string | undefined;
	while (taskId === undefined && !isOver) {
		await delay(FRAME_MS);
		const response = await page.request.get("/api/public/tasks");
		taskId = ((await response.json()) as { data: { id: string }[] }).data[0]?.id;
	}
	if (taskId === undefined) throw new CommandError("The demo ended before its task was open.");
	await page.goto(`/tasks/${taskId}`);
	const board = page.locator("[data-live-board]").first();
	await board.scrollIntoViewIfNeeded();
	const frames: Buffer[] = [];
	while (!isOver) {
		frames.push(await page.screenshot());
		await delay(FRAME_MS);
	}
	return frames;
}

async function saveMovingPicture(frames: readonly Buffer[]): Promise<void> {
	const small = await Promise.all(frames.map((frame) => sharp(frame).resize(FRAME_WIDTH).png().toBuffer()));
	const changed = small.filter((frame, index) => index === 0 || small[index - 1]?.equals(frame) !== true);
	const gif = await sharp(changed, { join: { animated: true } })
		.gif({ delay: changed.map(() => FRAME_MS), loop: 0, colours: 64, effort: 10, dither: 0 })
		.toBuffer();
	if (gif.length > MAX_GIF_BYTES) throw new CommandError(`The moving picture has ${gif.length} bytes, more than ${MAX_GIF_BYTES}.`);
	await save("board.gif", gif);
}

/** Records the last leaderboard, and what the judge said about one criterion of the best submission. */
async function recordExample({ poster: { client }, taskId, bestId }: Ending): Promise<void> {
	if (bestId === null) throw new CommandError("The demo has no best submission.");
	const { dimensions, breakdown } = await client.getSubmissionDetails(bestId);
	const dimension = dimensions.find(({ criterion_name }) => criterion_name === EXAMPLE_CRITERION);
	const { entries } = await client.getPublicLeaderboard(taskId);
	const example = {
		task: TASK.title,
		judge: breakdown?.["judge"],
		criterion: { name: EXAMPLE_CRITERION, weight: dimension?.weight, score: dimension?.score },
		checks: dimension?.checks
			?.map(({ check, found, evidence: [quote] }) => ({ check, found, quote: quote ?? null }))
			.toSorted((a, b) => Number(b.quote !== null) - Number(a.quote !== null)),
		board: entries,
	};
	await writeFile(EXAMPLE, `${JSON.stringify(example, null, "\t")}\n`);
	console.log("Wrote src/extensions/pages/example.json.");
}

/** Takes the pictures of the console's guide: a light and a dark one of each page. */
async function takeGuidePictures(browser: Browser, url: string, { poster, winner, taskId, bestId }: Ending): Promise<void> {
	if (winner === null || bestId === null) throw new CommandError("The demo has no winner.");
	const { id: draftId } = await poster.client.createTask({
		...TASK,
		criteria: WEAK_RUBRIC,
		deadline: new Date(Date.now() + WEEK_MS).toISOString(),
	});
	const askCoach = async (page: Page) => {
		await page.getByRole("button", { name: "Ask about this rubric" }).click();
		await page
			.getByRole("region", { name: /^The coach about/ })
			.first()
			.waitFor();
		await page.getByRole("textbox", { name: "Criterion" }).first().scrollIntoViewIfNeeded();
	};
	const seen = [
		{ name: "rubric", key: poster.key, path: `/console/tasks/${draftId}/edit?step=rubric`, act: askCoach },
		{ name: "submissions", key: poster.key, path: `/console/tasks/${taskId}?view=submissions` },
		{ name: "desk", key: poster.key, path: `/console/tasks/${taskId}/submissions/${bestId}?view=files` },
		{ name: "result", key: winner.key, path: `/console/my-submissions/${bestId}` },
	];
	await mkdir(GUIDE_PICTURES, { recursive: true });
	let bytes = 0;
	for (const { name, key, path, act } of seen) {
		const page = await browser.newPage({ baseURL: url, viewport: GUIDE_VIEWPORT, reducedMotion: "reduce" });
		await signIn(page, key);
		await page.goto(path);
		await page.getByRole("heading", { level: 1 }).waitFor();
		await act?.(page);
		await page.waitForLoadState("networkidle");
		for (const colorScheme of ["light", "dark"] as const) {
			await page.emulateMedia({ colorScheme });
			const picture = await sharp(await page.screenshot())
				.webp({ quality: GUIDE_QUALITY, effort: 6 })
				.toBuffer();
			bytes += picture.length;
			await writeFile(join(GUIDE_PICTURES, `${name}${colorScheme === "dark" ? "-dark" : ""}.webp`), picture);
		}
		await page.close();
	}
	console.log(`Wrote docs-site/public/pictures: ${bytes} bytes.`);
	if (bytes > MAX_GUIDE_BYTES) throw new CommandError(`The guide's pictures have more than ${MAX_GUIDE_BYTES} bytes.`);
}

async function signIn(page: Page, key: string): Promise<void> {
	await page.goto("/console");
	await page.getByRole("textbox", { name: "API key" }).fill(key);
	await page.getByRole("button", { name: "Use this key" }).click();
	await page.getByRole("button", { name: /^Account/ }).waitFor();
}

async function save(name: string, picture: Buffer): Promise<void> {
	await writeFile(join(PICTURES, name), picture);
	console.log(`Wrote docs/pictures/${name}: ${picture.length} bytes.`);
}
