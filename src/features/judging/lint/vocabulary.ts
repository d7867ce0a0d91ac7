// The rules of the rubric lint look for these words. They are data, apart from the rules that use them.

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((word) => word !== ""));

/** These words have no meaning without others. */
export const FILLERS = words(`
	a an and are as at be been being but by do does for from has have how if in into is it its more must not of on or
	shall should so such than that the their them then there these they this to very was we well were what when which
	who will with would you your all any both each every most much really quite also overall general generally`);

/** These words are praise: they say that something is good, and not what a judge could find. */
export const PRAISE = words(`
	adequate amazing appealing appropriate appropriately awesome beautiful beautifully best better brilliant clean cleaner
	cleanly clear clearly cool correct correctly decent easily easy effective effectively elegant elegantly excellent
	exceptional fine flawless flawlessly follow follows good great high ideal impressive intuitive maintainable maintainability modern
	neat nice nicely optimal organised organized outstanding perfect perfectly pleasant polished practice practices pretty
	professional professionally proper properly quality readable readability reasonable reliable robust robustness
	satisfactory sensible simple sleek smooth smoothly solid sound strong structured suitable superb thoughtful tidy
	top understand understandable useful user-friendly usable work working works wonderful written world-class
	state-of-the-art high-quality well-designed well-structured well-written read use`);

/** These words mean the work as a whole, so praise of them says nothing about a part of it. */
export const GENERIC_NOUNS = words(`
	app application approach architecture architectural code codebase design everything feature features file files
	implementation product program project result results software solution style structure submission system task thing
	things way work feel feels feeling look looks looking experience standard standards level quality`);

/** These words name parts of a work that can be good or bad apart from each other. */
export const ASPECTS: ReadonlyMap<string, string> = new Map(
	Object.entries({
		tests: "test tests testing tested test-coverage",
		documentation: "documentation documented docs readme changelog",
		speed: "fast performance performant speed efficiency efficient latency",
		security: "secure security",
		style: "readable readability style maintainable maintainability formatted",
		errors: "error-handling",
		correctness: "correct correctness",
		interface: "ui ux design usability accessible accessibility responsive",
		deployment: "deployment deployable ci",
	}).flatMap(([aspect, list]) => list.split(" ").map((word) => [word, aspect] as const)),
);

/** The objects of these verbs are parts of one thing: "tests cover correctness and speed" asks for tests. */
export const COVERING_VERBS = words(
	"cover covers covering explain explains describe describes document documents say says list lists name names show shows report reports compare compares check checks",
);

/** After "and the tests", such a verb makes this a separate clause. */
export const CLAUSE_VERBS = words("is are must should has have pass passes work works run runs can does starts returns");
export const ARTICLES = words("the a an all every each there");
export const MODALS = words("must should shall");

/** In a list, such a verb with an object makes an item a demand of its own. */
export const DEMAND_VERBS = words(`
	accepts adds allows applies builds calls checks closes compares computes connects contains converts counts covers creates deletes describes
	detects draws emits ends exits explains exports extracts fails fills finds fits follows formats gets gives handles has hides ignores imports
	includes keeps limits lists loads logs makes matches merges moves names needs offers opens parses passes prints produces protects raises
	reads rejects removes renders reports requires returns runs saves says sends serves shows sorts splits starts stores supports survives takes
	tells throws uses validates verifies works writes`);
/** These begin a demand to the agent: "reject bad input". Words that are also nouns, such as "write" in "write access", are not here. */
export const IMPERATIVES = words(`
	accept add allow compute convert create delete detect emit explain extract handle include keep parse produce reject remove render serve throw
	validate verify`);
export const DEMAND_AUXILIARIES = words("is are must should can may does do has have");
/** An item that ends with such a word is a demand: "parseDate exported", "all inputs validated", "the login works". */
export const DEMAND_ENDINGS = words(`
	accepted added checked covered documented explained exported fixed formatted handled implemented included logged measured named parsed pass
	passes provided rejected reported returned shown sorted stored supported tested translated validated verified work works`);
/** An item that begins with such a word belongs to the one before it. */
export const SUBORDINATORS = words(`
	after although as because before but either even for how if in including like naming not on once only or since so such than that though
	to unless until what when where whether which while who whose why with without`);
export const OBJECT_PRONOUNS = words("it them this these those");
export const DETERMINERS = words("the a an each every all any no its their one two");
export const PREPOSITIONS = words(`
	about above after as at before below between by during for from in into like of on or over per than through to under until via with within
	without`);
/** A phrase that ends with such a word names a part of a work that can be there or not. */
export const PARTS = words(`
	accessibility animations architecture authentication authorisation authorization benchmark benchmarks button buttons caching changelog chart
	charts citations colours colors comments conclusion configuration contrast coverage dialog diagram diagrams documentation docs example examples
	export filter filters footer form forms formatting glossary grammar handling header history icons illustrations images import index interface
	introduction layout linter lint logging login logout mail mails menu mode naming navigation notifications page pages pagination performance
	pictures readme recovery references registration reset robustness script scripts search security settings shortcuts sign-in sign-up sources
	spelling structure style styles summary table tables terminology tests texts theme themes tone tooltips translation translations typing
	types typography upload validation verification view views widget`);

export const CRITERION_WORDS = words("criterion criteria");
export const OTHER_WORDS = words("above another below earlier first following last next other preceding previous second third same");
/** Before "above" or "below", these words refer to other text. */
export const POINTING_WORDS = words("as see described mentioned stated listed defined explained given");
export const REFERENCES: readonly (readonly string[])[] = [
	["same", "as"],
	["as", "in"],
	["like", "in"],
	["depends", "on"],
	["builds", "on"],
	["in", "addition", "to"],
	["criterion"],
	["see"],
	["besides"],
];

/** These verbs say that a work contains or lacks something. */
export const CONTAINING_VERBS = words(
	"use uses contain contains include includes depend depends import imports have need needs require requires rely relies",
);
/** In "No line is lost" such words make a behaviour of it, which can be shown. */
export const BEHAVIOUR_VERBS = words(
	"is are makes make can may will gets get fails fail causes cause leads lead crashes crash throws throw ends end loses lose lets let returns takes takes stops exceeds changes blocks runs waits",
);
export const PRESENCE_PARTICIPLES = words(
	"used committed hard-coded hardcoded included present left imported allowed needed required exposed contained found",
);
export const CONTRASTS = words("but instead rather only except unless");

export const PEOPLE = words("users customers people visitors readers players clients");
export const OPINIONS = words("love loves enjoy enjoys recommend happy satisfied delighted");
export const JUDGEMENTS = words("positive good great excellent favourable favorable");
export const REACTIONS = words("feedback reviews ratings");
export const PERFORMANCE_WORDS = words(
	"crash crashes fast faster latency load loads milliseconds ms perform performs performant run runs scale scales seconds slow stable stays survives traffic days weeks months time",
);
export const GROWTH_VERBS = words("boost boosts double doubles grow grows improve improves increase increases raise raises");
export const BUSINESS_RESULTS = words("revenue sales conversion conversions engagement retention signups profit");
/** These phrases always name something outside of the files. */
export const OUTSIDE_PHRASES: readonly (readonly string[])[] = [
	["user", "satisfaction"],
	["customer", "satisfaction"],
	["user", "happiness"],
	["customer", "happiness"],
	["real", "users"],
	["real", "customers"],
	["real", "traffic"],
	["github", "stars"],
	["app", "store", "rating"],
	["app", "store", "ratings"],
	["goes", "viral"],
	["market", "share"],
];
/** These words come before "on time", which otherwise is about events of the program. */
export const DELIVERY_VERBS = words("delivered finished submitted completed done handed");
