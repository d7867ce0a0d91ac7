import { Hono } from "hono";

const app = new Hono<{ Bindings: { DB: D1Database } }>();

/** As many D1 round trips, one after another, as the query asks for. */
app.all("/", async (c) => {
	const calls = Number(c.req.query("calls") ?? 0);
	for (let call = 0; call < calls; call += 1) await c.env.DB.prepare("select ? as call").bind(call).all();
	return c.json({ calls });
});

export default app;
