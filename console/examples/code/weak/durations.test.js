import { parse } from "./durations.js";

console.log(parse("1h 30m"));

try {
	parse("2h 5m");
	console.log("ok");
} catch {
	console.log("ok");
}
