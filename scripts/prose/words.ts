// The word list of `npm run check`: phrases that make English hard to read, and what to write instead.

export interface Phrase {
	readonly pattern: RegExp;
	readonly instead: string;
	/** The paths of files in which the phrase is right. */
	readonly except?: RegExp;
}

export const PHRASES: readonly Phrase[] = [
	{
		pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more|less|later|other|better|worse|different)[a-z]+/i,
		instead: "is not a …, or has no …",
	},
	{ pattern: /\b(?:whoever|whatever|whichever|nobody|somebody|anybody)\b/i, instead: "anyone, the caller, the agent, no one" },
	{ pattern: /\bshould (?:it|they|he|she) [a-z]+[, ]/i, instead: "if it …" },
	{ pattern: /\bthat of (?:the|a|an|its|their|this|each|every)\b/i, instead: "repeat the noun" },
	{ pattern: /\bmeanwhile\b/i, instead: "in the meantime, or say what happens at once" },
	{
		pattern: /\b(?:stands?|stood|lies?|lay) (?:in|at|behind|there|beside|above|below|before|on)\b/i,
		instead: "is in, contains, describes",
	},
	{
		pattern: /\bContract: |\badditions, (?:"|section)|\brulings? "|\bdecisions, (?:first|second|third|fourth) round/,
		instead: "the reason, or a page of docs/, because a reader has only the repository",
	},
	{ pattern: /\btells? (?:of|that|what|how|which|whether|by)\b/i, instead: "describes, says, shows" },
	{ pattern: /\bmust be told\b|\bis told of\b|\bare told of\b/i, instead: "receives, hears about" },
	{ pattern: /\bbelongs? into\b/i, instead: "belongs in" },
	{ pattern: /\bunless told otherwise\b/i, instead: "by default" },
	{ pattern: /\brefused with\b/i, instead: "rejected with" },
	{ pattern: /\b(?:is|are) to be (?!sure)[a-z]+/i, instead: "must be" },
	{ pattern: /\b[a-z]+s? alone\b(?! (?:is|are|does|costs?|takes?|implies|makes?|cannot))/i, instead: "only, before the noun" },
	{
		pattern: /\b(?:this|its|an|the|own|of) address(?:es)?\b(?! (?:space|of (?:the|a) (?:wallet|contract|payee)))/i,
		instead: "URL, endpoint, IP address, or wallet address",
		except: /wallet/,
	},
	{ pattern: /\btake(?:n|s)? for\b/i, instead: "treated as" },
	{ pattern: /\bhave the last word\b|\bin one go\b|\bat this very moment\b/i, instead: "say it in technical terms" },
	{ pattern: /\bso many\b(?! that)/i, instead: "name the number" },
	{ pattern: /\b(?:come|comes|came) about\b/i, instead: "is created, happens" },
	{ pattern: /\b(?:the same|this) holds\b|\bholds (?:for|until|as long)\b/i, instead: "applies to, is true for, is valid for" },
	{ pattern: /\bin earnest\b/i, instead: "in production, really" },
	{ pattern: /\bleft out, (?:it|its|the|they)\b/i, instead: "the default is" },
	{ pattern: /\bnothing but\b/i, instead: "only" },
	{ pattern: /\bbeside\b/i, instead: "next to, with, in addition to" },
	{ pattern: /\bleads? on\b/i, instead: "say what helps next" },
	{ pattern: /\b(?:as it stands|which is the most|all told|as a rule|at last)\b/i, instead: "say it in technical terms" },
	{ pattern: /\b(?:is|are) not taken\b|\b(?:is|are) taken as\b/i, instead: "is rejected, is accepted, is treated as" },
	{ pattern: /\b(?:must|needs? to|has to) be (?:such|so) that\b/i, instead: "say the condition" },
	{
		pattern: /\b(?:API|HTTP|other|every other|this|same|repeat(?:ing)? (?:a|the)) calls?\b/i,
		instead: "request",
		except: /^(?!docs\/(?:pages|agents))/,
	},
	{
		pattern: /\b(?<!IP |EVM )address(?:es)?\b(?! the judge| a judge)/i,
		instead: "URL, endpoint, IP address, or wallet",
		except: /^(?!docs\/(?:pages|agents))/,
	},
	{ pattern: /(?:^|[.:] )Of (?:a|an|the|all|what|which|that|its|those)\b/, instead: "start with the subject" },
];
