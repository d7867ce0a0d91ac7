export function parse(t) {
	t = t.replace(" ", "");
	const a = t.split("h");
	const x = Number(a[0]) * 60;
	const y = Number(a[1].replace("m", ""));
	return x + y;
}
