import { Hono } from "hono";

const app = new Hono<{ Bindings: { DB: D1Database; LIMIT: RateLimit } }>();

/** Makes the number of D1 calls in sequence that the query names, and a request to a rate limit if the query has one. */
app.all("/", async (c) => {
	if (c.req.query("limit") !== undefined) await c.env.LIMIT.limit({ key: c.req.header("CF-Connecting-IP") ?? "" });
	const calls = Number(c.req.query("calls") ?? 0);
	for (let call = 0; call < calls; call += 1) await c.env.DB.prepare("select ? as call").bind(call).all();
	return c.json({ calls });
});

export default app;
