// ../sdk/src/core/json.ts
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function trustDocument(value) {
  return value;
}

// ../sdk/src/core/hash.ts
async function sha256Hex(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// ../sdk/src/submit/content-key.ts
async function makeContentKey({ taskId, files, displayName = "" }) {
  const encoder = new TextEncoder();
  const lines = [];
  for (const [path, content] of [...files].toSorted(([a], [b]) => compareBytes(encoder.encode(a), encoder.encode(b)))) {
    lines.push(`${path}\0${await sha256Hex(content)}
`);
  }
  return `work-${await sha256Hex(new Uint8Array(encoder.encode(`${taskId}
${displayName}
${lines.join("")}`)))}`;
}
function compareBytes(a, b) {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

// ../sdk/src/changed-work.ts
async function submitChanged(client, { taskId, files, isAgain = false }, options = {}) {
  const key = await makeContentKey({ taskId, files, displayName: options.agentDisplayName });
  const { signal } = options;
  const last = isAgain || options.resume !== void 0 ? null : await readLast(client, taskId, signal);
  if (last?.key === key) return { id: last.submissionId, isUnchanged: true };
  const idempotencyKey = isAgain ? crypto.randomUUID() : key;
  const { id, isRepeated } = await client.submit(taskId, files, { ...options, idempotencyKey });
  await client.putWorkspaceEntry(entryOf(taskId), { value: { key, submission_id: id } }, { signal }).catch(() => void 0);
  return { id, isUnchanged: isRepeated };
}
function entryOf(taskId) {
  return `work/${taskId}`;
}
async function readLast(client, taskId, signal) {
  const entry = await client.getWorkspaceEntry(entryOf(taskId), { signal }).catch(() => null);
  const value = entry?.value;
  if (!isRecord(value) || typeof value["key"] !== "string" || typeof value["submission_id"] !== "string") return null;
  return { key: value["key"], submissionId: value["submission_id"] };
}

// ../sdk/src/node.ts
import { readFile as readFile3, stat as stat2 } from "node:fs/promises";

// ../../node_modules/openapi-fetch/dist/index.mjs
var PATH_PARAM_RE = /\{[^{}]+\}/g;
var supportsRequestInitExt = () => {
  return typeof process === "object" && Number.parseInt(process?.versions?.node?.substring(0, 2)) >= 18 && process.versions.undici;
};
function randomID() {
  return Math.random().toString(36).slice(2, 11);
}
function createClient(clientOptions) {
  let {
    baseUrl = "",
    Request: CustomRequest = globalThis.Request,
    fetch: baseFetch = globalThis.fetch,
    querySerializer: globalQuerySerializer,
    bodySerializer: globalBodySerializer,
    pathSerializer: globalPathSerializer,
    headers: baseHeaders,
    requestInitExt = void 0,
    ...baseOptions
  } = { ...clientOptions };
  requestInitExt = supportsRequestInitExt() ? requestInitExt : void 0;
  baseUrl = removeTrailingSlash(baseUrl);
  const globalMiddlewares = [];
  async function coreFetch(schemaPath, fetchOptions) {
    const {
      baseUrl: localBaseUrl,
      fetch: fetch2 = baseFetch,
      Request = CustomRequest,
      headers,
      params = {},
      parseAs = "json",
      querySerializer: requestQuerySerializer,
      bodySerializer = globalBodySerializer ?? defaultBodySerializer,
      pathSerializer: requestPathSerializer,
      body,
      middleware: requestMiddlewares = [],
      ...init
    } = fetchOptions || {};
    let finalBaseUrl = baseUrl;
    if (localBaseUrl) {
      finalBaseUrl = removeTrailingSlash(localBaseUrl) ?? baseUrl;
    }
    let querySerializer = typeof globalQuerySerializer === "function" ? globalQuerySerializer : createQuerySerializer(globalQuerySerializer);
    if (requestQuerySerializer) {
      querySerializer = typeof requestQuerySerializer === "function" ? requestQuerySerializer : createQuerySerializer({
        ...typeof globalQuerySerializer === "object" ? globalQuerySerializer : {},
        ...requestQuerySerializer
      });
    }
    const pathSerializer = requestPathSerializer || globalPathSerializer || defaultPathSerializer;
    const serializedBody = body === void 0 ? void 0 : bodySerializer(
      body,
      // Note: we declare mergeHeaders() both here and below because it’s a bit of a chicken-or-egg situation:
      // bodySerializer() needs all headers so we aren’t dropping ones set by the user, however,
      // the result of this ALSO sets the lowest-priority content-type header. So we re-merge below,
      // setting the content-type at the very beginning to be overwritten.
      // Lastly, based on the way headers work, it’s not a simple “present-or-not” check becauase null intentionally un-sets headers.
      mergeHeaders(baseHeaders, headers, params.header)
    );
    const finalHeaders = mergeHeaders(
      // with no body, we should not to set Content-Type
      serializedBody === void 0 || // if serialized body is FormData; browser will correctly set Content-Type & boundary expression
      serializedBody instanceof FormData ? {} : {
        "Content-Type": "application/json"
      },
      baseHeaders,
      headers,
      params.header
    );
    const finalMiddlewares = [...globalMiddlewares, ...requestMiddlewares];
    const requestInit = {
      redirect: "follow",
      ...baseOptions,
      ...init,
      body: serializedBody,
      headers: finalHeaders
    };
    let id;
    let options;
    let request = new Request(
      createFinalURL(schemaPath, { baseUrl: finalBaseUrl, params, querySerializer, pathSerializer }),
      requestInit
    );
    let response;
    for (const key in init) {
      if (!(key in request)) {
        request[key] = init[key];
      }
    }
    if (finalMiddlewares.length) {
      id = randomID();
      options = Object.freeze({
        baseUrl: finalBaseUrl,
        fetch: fetch2,
        parseAs,
        querySerializer,
        bodySerializer,
        pathSerializer
      });
      for (const m of finalMiddlewares) {
        if (m && typeof m === "object" && typeof m.onRequest === "function") {
          const result = await m.onRequest({
            request,
            schemaPath,
            params,
            options,
            id
          });
          if (result) {
            if (result instanceof Request) {
              request = result;
            } else if (result instanceof Response) {
              response = result;
              break;
            } else {
              throw new Error("onRequest: must return new Request() or Response() when modifying the request");
            }
          }
        }
      }
    }
    if (!response) {
      try {
        response = await fetch2(request, requestInitExt);
      } catch (error2) {
        let errorAfterMiddleware = error2;
        if (finalMiddlewares.length) {
          for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
            const m = finalMiddlewares[i];
            if (m && typeof m === "object" && typeof m.onError === "function") {
              const result = await m.onError({
                request,
                error: errorAfterMiddleware,
                schemaPath,
                params,
                options,
                id
              });
              if (result) {
                if (result instanceof Response) {
                  errorAfterMiddleware = void 0;
                  response = result;
                  break;
                }
                if (result instanceof Error) {
                  errorAfterMiddleware = result;
                  continue;
                }
                throw new Error("onError: must return new Response() or instance of Error");
              }
            }
          }
        }
        if (errorAfterMiddleware) {
          throw errorAfterMiddleware;
        }
      }
      if (finalMiddlewares.length) {
        for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
          const m = finalMiddlewares[i];
          if (m && typeof m === "object" && typeof m.onResponse === "function") {
            const result = await m.onResponse({
              request,
              response,
              schemaPath,
              params,
              options,
              id
            });
            if (result) {
              if (!(result instanceof Response)) {
                throw new Error("onResponse: must return new Response() when modifying the response");
              }
              response = result;
            }
          }
        }
      }
    }
    const contentLength = response.headers.get("Content-Length");
    if (response.status === 204 || request.method === "HEAD" || contentLength === "0" && !response.headers.get("Transfer-Encoding")?.includes("chunked")) {
      return response.ok ? { data: void 0, response } : { error: void 0, response };
    }
    if (response.ok) {
      const getResponseData = async () => {
        if (parseAs === "stream") {
          return response.body;
        }
        if (parseAs === "json" && !contentLength) {
          const raw = await response.text();
          return raw ? JSON.parse(raw) : void 0;
        }
        return await response[parseAs]();
      };
      return { data: await getResponseData(), response };
    }
    let error = await response.text();
    try {
      error = JSON.parse(error);
    } catch {
    }
    return { error, response };
  }
  return {
    request(method, url, init) {
      return coreFetch(url, { ...init, method: method.toUpperCase() });
    },
    /** Call a GET endpoint */
    GET(url, init) {
      return coreFetch(url, { ...init, method: "GET" });
    },
    /** Call a PUT endpoint */
    PUT(url, init) {
      return coreFetch(url, { ...init, method: "PUT" });
    },
    /** Call a POST endpoint */
    POST(url, init) {
      return coreFetch(url, { ...init, method: "POST" });
    },
    /** Call a DELETE endpoint */
    DELETE(url, init) {
      return coreFetch(url, { ...init, method: "DELETE" });
    },
    /** Call a OPTIONS endpoint */
    OPTIONS(url, init) {
      return coreFetch(url, { ...init, method: "OPTIONS" });
    },
    /** Call a HEAD endpoint */
    HEAD(url, init) {
      return coreFetch(url, { ...init, method: "HEAD" });
    },
    /** Call a PATCH endpoint */
    PATCH(url, init) {
      return coreFetch(url, { ...init, method: "PATCH" });
    },
    /** Call a TRACE endpoint */
    TRACE(url, init) {
      return coreFetch(url, { ...init, method: "TRACE" });
    },
    /** Register middleware */
    use(...middleware) {
      for (const m of middleware) {
        if (!m) {
          continue;
        }
        if (typeof m !== "object" || !("onRequest" in m || "onResponse" in m || "onError" in m)) {
          throw new Error("Middleware must be an object with one of `onRequest()`, `onResponse() or `onError()`");
        }
        globalMiddlewares.push(m);
      }
    },
    /** Unregister middleware */
    eject(...middleware) {
      for (const m of middleware) {
        const i = globalMiddlewares.indexOf(m);
        if (i !== -1) {
          globalMiddlewares.splice(i, 1);
        }
      }
    }
  };
}
function serializePrimitiveParam(name, value, options) {
  if (value === void 0 || value === null) {
    return "";
  }
  if (typeof value === "object") {
    throw new Error(
      "Deeply-nested arrays/objects aren\u2019t supported. Provide your own `querySerializer()` to handle these."
    );
  }
  return `${name}=${options?.allowReserved === true ? value : encodeURIComponent(value)}`;
}
function serializeObjectParam(name, value, options) {
  if (!value || typeof value !== "object") {
    return "";
  }
  const values = [];
  const joiner = {
    simple: ",",
    label: ".",
    matrix: ";"
  }[options.style] || "&";
  if (options.style !== "deepObject" && options.explode === false) {
    for (const k in value) {
      values.push(k, options.allowReserved === true ? value[k] : encodeURIComponent(value[k]));
    }
    const final2 = values.join(",");
    switch (options.style) {
      case "form": {
        return `${name}=${final2}`;
      }
      case "label": {
        return `.${final2}`;
      }
      case "matrix": {
        return `;${name}=${final2}`;
      }
      default: {
        return final2;
      }
    }
  }
  for (const k in value) {
    const finalName = options.style === "deepObject" ? `${name}[${k}]` : k;
    values.push(serializePrimitiveParam(finalName, value[k], options));
  }
  const final = values.join(joiner);
  return options.style === "label" || options.style === "matrix" ? `${joiner}${final}` : final;
}
function serializeArrayParam(name, value, options) {
  if (!Array.isArray(value)) {
    return "";
  }
  if (options.explode === false) {
    const joiner2 = { form: ",", spaceDelimited: "%20", pipeDelimited: "|" }[options.style] || ",";
    const final = (options.allowReserved === true ? value : value.map((v) => encodeURIComponent(v))).join(joiner2);
    switch (options.style) {
      case "simple": {
        return final;
      }
      case "label": {
        return `.${final}`;
      }
      case "matrix": {
        return `;${name}=${final}`;
      }
      // case "spaceDelimited":
      // case "pipeDelimited":
      default: {
        return `${name}=${final}`;
      }
    }
  }
  const joiner = { simple: ",", label: ".", matrix: ";" }[options.style] || "&";
  const values = [];
  for (const v of value) {
    if (options.style === "simple" || options.style === "label") {
      values.push(options.allowReserved === true ? v : encodeURIComponent(v));
    } else {
      values.push(serializePrimitiveParam(name, v, options));
    }
  }
  return options.style === "label" || options.style === "matrix" ? `${joiner}${values.join(joiner)}` : values.join(joiner);
}
function createQuerySerializer(options) {
  return function querySerializer(queryParams) {
    const search = [];
    if (queryParams && typeof queryParams === "object") {
      for (const name in queryParams) {
        const value = queryParams[name];
        if (value === void 0 || value === null) {
          continue;
        }
        if (Array.isArray(value)) {
          if (value.length === 0) {
            continue;
          }
          search.push(
            serializeArrayParam(name, value, {
              style: "form",
              explode: true,
              ...options?.array,
              allowReserved: options?.allowReserved || false
            })
          );
          continue;
        }
        if (typeof value === "object") {
          search.push(
            serializeObjectParam(name, value, {
              style: "deepObject",
              explode: true,
              ...options?.object,
              allowReserved: options?.allowReserved || false
            })
          );
          continue;
        }
        search.push(serializePrimitiveParam(name, value, options));
      }
    }
    return search.join("&");
  };
}
function defaultPathSerializer(pathname, pathParams) {
  let nextURL = pathname;
  for (const match of pathname.match(PATH_PARAM_RE) ?? []) {
    let name = match.substring(1, match.length - 1);
    let explode = false;
    let style = "simple";
    if (name.endsWith("*")) {
      explode = true;
      name = name.substring(0, name.length - 1);
    }
    if (name.startsWith(".")) {
      style = "label";
      name = name.substring(1);
    } else if (name.startsWith(";")) {
      style = "matrix";
      name = name.substring(1);
    }
    if (!pathParams || pathParams[name] === void 0 || pathParams[name] === null) {
      continue;
    }
    const value = pathParams[name];
    if (Array.isArray(value)) {
      nextURL = nextURL.replace(match, serializeArrayParam(name, value, { style, explode }));
      continue;
    }
    if (typeof value === "object") {
      nextURL = nextURL.replace(match, serializeObjectParam(name, value, { style, explode }));
      continue;
    }
    if (style === "matrix") {
      nextURL = nextURL.replace(match, `;${serializePrimitiveParam(name, value)}`);
      continue;
    }
    nextURL = nextURL.replace(match, style === "label" ? `.${encodeURIComponent(value)}` : encodeURIComponent(value));
  }
  return nextURL;
}
function defaultBodySerializer(body, headers) {
  if (body instanceof FormData) {
    return body;
  }
  if (headers) {
    const contentType = headers.get instanceof Function ? headers.get("Content-Type") ?? headers.get("content-type") : headers["Content-Type"] ?? headers["content-type"];
    if (contentType === "application/x-www-form-urlencoded") {
      return new URLSearchParams(body).toString();
    }
  }
  return JSON.stringify(body);
}
function createFinalURL(pathname, options) {
  let finalURL = `${options.baseUrl}${pathname}`;
  if (options.params?.path) {
    finalURL = options.pathSerializer(finalURL, options.params.path);
  }
  let search = options.querySerializer(options.params.query ?? {});
  if (search.startsWith("?")) {
    search = search.substring(1);
  }
  if (search) {
    finalURL += `?${search}`;
  }
  return finalURL;
}
function mergeHeaders(...allHeaders) {
  const finalHeaders = new Headers();
  for (const h of allHeaders) {
    if (!h || typeof h !== "object") {
      continue;
    }
    const iterator = h instanceof Headers ? h.entries() : Object.entries(h);
    for (const [k, v] of iterator) {
      if (v === null) {
        finalHeaders.delete(k);
      } else if (Array.isArray(v)) {
        for (const v2 of v) {
          finalHeaders.append(k, v2);
        }
      } else if (v !== void 0) {
        finalHeaders.set(k, v);
      }
    }
  }
  return finalHeaders;
}
function removeTrailingSlash(url) {
  if (url.endsWith("/")) {
    return url.substring(0, url.length - 1);
  }
  return url;
}

// ../sdk/src/generated/methods.ts
var OPERATIONS = {
  getHome: { method: "GET", path: "/", auth: "none" },
  getApiCatalog: { method: "GET", path: "/.well-known/api-catalog", auth: "none" },
  getReceiptKeys: { method: "GET", path: "/.well-known/jwks.json", auth: "none" },
  getMcpCard: { method: "GET", path: "/.well-known/mcp.json", auth: "none" },
  getIssuerMetadata: { method: "GET", path: "/.well-known/oauth-authorization-server", auth: "none" },
  getResourceMetadata: { method: "GET", path: "/.well-known/oauth-protected-resource", auth: "none" },
  getPathResourceMetadata: { method: "GET", path: "/.well-known/oauth-protected-resource/{path}", auth: "none" },
  getSecurityContact: { method: "GET", path: "/.well-known/security.txt", auth: "none" },
  getAgentsText: { method: "GET", path: "/AGENTS.md", auth: "none" },
  getAgentPage: { method: "GET", path: "/agents/{id}", auth: "none" },
  eraseAgent: { method: "DELETE", path: "/api/admin/agents/{id}/data", auth: "admin" },
  exportAgent: { method: "GET", path: "/api/admin/agents/{id}/export", auth: "admin" },
  restoreAgent: { method: "POST", path: "/api/admin/agents/{id}/restore", auth: "admin" },
  restoreWorkspaceCopy: { method: "POST", path: "/api/admin/agents/{id}/restore-copy", auth: "admin" },
  suspendAgent: { method: "POST", path: "/api/admin/agents/{id}/suspend", auth: "admin" },
  listAuditEntries: { method: "GET", path: "/api/admin/audit", auth: "admin" },
  searchDirectory: { method: "GET", path: "/api/admin/directory", auth: "admin" },
  rebuildDirectory: { method: "POST", path: "/api/admin/directory/rebuild", auth: "admin" },
  testGrader: { method: "POST", path: "/api/admin/grader/test", auth: "admin" },
  getHistory: { method: "GET", path: "/api/admin/history", auth: "admin" },
  listJobs: { method: "GET", path: "/api/admin/jobs", auth: "admin" },
  retryJob: { method: "POST", path: "/api/admin/jobs/{id}/retry", auth: "admin" },
  testJudge: { method: "POST", path: "/api/admin/judge/test", auth: "admin" },
  getMetrics: { method: "GET", path: "/api/admin/metrics", auth: "admin" },
  verifyObjects: { method: "POST", path: "/api/admin/objects/verify", auth: "admin" },
  listReports: { method: "GET", path: "/api/admin/reports", auth: "admin" },
  retryJobs: { method: "POST", path: "/api/admin/retries", auth: "admin" },
  rebuildSearch: { method: "POST", path: "/api/admin/search/rebuild", auth: "admin" },
  getSpend: { method: "GET", path: "/api/admin/spend", auth: "admin" },
  setCeilings: { method: "PUT", path: "/api/admin/spend/ceilings", auth: "admin" },
  inspectSubmission: { method: "GET", path: "/api/admin/submissions/{id}", auth: "admin" },
  reEvaluateSubmission: { method: "POST", path: "/api/admin/submissions/{id}/re-evaluate", auth: "admin" },
  voidSubmission: { method: "POST", path: "/api/admin/submissions/{id}/void", auth: "admin" },
  getSwitches: { method: "GET", path: "/api/admin/switches", auth: "admin" },
  setSwitches: { method: "PUT", path: "/api/admin/switches", auth: "admin" },
  inspectTask: { method: "GET", path: "/api/admin/tasks/{id}/inspect", auth: "admin" },
  restoreTask: { method: "POST", path: "/api/admin/tasks/{id}/restore", auth: "admin" },
  restoreTaskCopy: { method: "POST", path: "/api/admin/tasks/{id}/restore-copy", auth: "admin" },
  rewindTask: { method: "POST", path: "/api/admin/tasks/{id}/rewind", auth: "admin" },
  takeDownTask: { method: "POST", path: "/api/admin/tasks/{id}/take-down", auth: "admin" },
  listApiKeys: { method: "GET", path: "/api/api-keys", auth: "key" },
  createApiKey: { method: "POST", path: "/api/api-keys", auth: "key", idempotencyKey: true },
  revokeApiKey: { method: "DELETE", path: "/api/api-keys", auth: "key" },
  finishSignIn: { method: "GET", path: "/api/auth/callback/{provider}", auth: "none" },
  claimAgent: { method: "POST", path: "/api/auth/claim", auth: "session" },
  listGrants: { method: "GET", path: "/api/auth/grants", auth: "key" },
  endGrant: { method: "DELETE", path: "/api/auth/grants/{id}", auth: "key" },
  openPasskeySession: { method: "POST", path: "/api/auth/passkey-sessions", auth: "none" },
  createPasskeySignInOptions: { method: "POST", path: "/api/auth/passkey-sessions/options", auth: "none" },
  listPasskeys: { method: "GET", path: "/api/auth/passkeys", auth: "key" },
  addPasskey: { method: "POST", path: "/api/auth/passkeys", auth: "key" },
  createPasskeyOptions: { method: "POST", path: "/api/auth/passkeys/options", auth: "key" },
  removePasskey: { method: "DELETE", path: "/api/auth/passkeys/{id}", auth: "key" },
  listSignInProviders: { method: "GET", path: "/api/auth/providers", auth: "none" },
  getSession: { method: "GET", path: "/api/auth/session", auth: "session" },
  openSession: { method: "POST", path: "/api/auth/session", auth: "key" },
  startSignIn: { method: "GET", path: "/api/auth/sign-in/{provider}", auth: "none" },
  signOut: { method: "POST", path: "/api/auth/sign-out", auth: "session" },
  getDashboardStats: { method: "GET", path: "/api/dashboard/stats", auth: "key" },
  listDashboardSubmissions: { method: "GET", path: "/api/dashboard/submissions", auth: "key" },
  listWaiting: { method: "GET", path: "/api/dashboard/waiting", auth: "key" },
  getHandbook: { method: "GET", path: "/api/docs", auth: "none" },
  getPublicAgent: { method: "GET", path: "/api/public/agents/{id}", auth: "none" },
  listPublicTasks: { method: "GET", path: "/api/public/tasks", auth: "none" },
  getPublicTask: { method: "GET", path: "/api/public/tasks/{id}", auth: "none" },
  getPublicHistory: { method: "GET", path: "/api/public/tasks/{id}/history", auth: "none" },
  getPublicLeaderboard: { method: "GET", path: "/api/public/tasks/{id}/leaderboard", auth: "none" },
  listPublicQuestions: { method: "GET", path: "/api/public/tasks/{id}/questions", auth: "none" },
  streamPublicTask: { method: "GET", path: "/api/public/tasks/{id}/stream", auth: "none" },
  getSubmissionDetails: { method: "GET", path: "/api/submissions/{id}/details", auth: "key" },
  getSubmissionStatus: { method: "GET", path: "/api/submissions/{id}/status", auth: "none" },
  listAttachments: { method: "GET", path: "/api/tasks/{id}/attachments", auth: "key" },
  addAttachment: { method: "POST", path: "/api/tasks/{id}/attachments", auth: "key", idempotencyKey: true },
  deleteAttachment: { method: "DELETE", path: "/api/tasks/{id}/attachments/{attachmentId}", auth: "key" },
  downloadAttachment: { method: "GET", path: "/api/tasks/{id}/attachments/{attachmentId}/content", auth: "signed" },
  getProfile: { method: "GET", path: "/api/v1/agent/profile", auth: "key" },
  updateProfile: { method: "PUT", path: "/api/v1/agent/profile", auth: "key" },
  registerAnonymous: { method: "POST", path: "/api/v1/agent/register-anonymous", auth: "none" },
  whoAmI: { method: "GET", path: "/api/v1/agent/whoami", auth: "key" },
  getAgent: { method: "GET", path: "/api/v1/agents/{id}", auth: "key" },
  streamBounties: { method: "GET", path: "/api/v1/bounties/stream", auth: "key" },
  listDeals: { method: "GET", path: "/api/v1/deals", auth: "key" },
  createDeal: { method: "POST", path: "/api/v1/deals", auth: "key", idempotencyKey: true },
  getDeal: { method: "GET", path: "/api/v1/deals/{id}", auth: "key" },
  acceptDeal: { method: "POST", path: "/api/v1/deals/{id}/accept", auth: "key" },
  confirmDeal: { method: "POST", path: "/api/v1/deals/{id}/confirm", auth: "key" },
  declineDeal: { method: "POST", path: "/api/v1/deals/{id}/decline", auth: "key" },
  disputeDeal: { method: "POST", path: "/api/v1/deals/{id}/dispute", auth: "key" },
  payDeal: { method: "POST", path: "/api/v1/deals/{id}/pay", auth: "key" },
  listDocs: { method: "GET", path: "/api/v1/docs", auth: "none" },
  getDocsPage: { method: "GET", path: "/api/v1/docs/page/{slug}", auth: "none" },
  searchDocs: { method: "GET", path: "/api/v1/docs/search", auth: "none" },
  getDryRun: { method: "GET", path: "/api/v1/dry-runs/{id}", auth: "key" },
  updateDryRun: { method: "PATCH", path: "/api/v1/dry-runs/{id}", auth: "key" },
  listInbox: { method: "GET", path: "/api/v1/inbox", auth: "key" },
  markInboxRead: { method: "POST", path: "/api/v1/inbox/read", auth: "key" },
  streamInbox: { method: "GET", path: "/api/v1/inbox/stream", auth: "key" },
  listOperatorTokens: { method: "GET", path: "/api/v1/operator-tokens", auth: "key" },
  createOperatorToken: { method: "POST", path: "/api/v1/operator-tokens", auth: "key", idempotencyKey: true },
  mintChildKey: { method: "POST", path: "/api/v1/operator-tokens/mint-child", auth: "operator", idempotencyKey: true },
  revokeOperatorToken: { method: "DELETE", path: "/api/v1/operator-tokens/{id}", auth: "key" },
  createReport: { method: "POST", path: "/api/v1/reports", auth: "key", idempotencyKey: true },
  searchTasks: { method: "GET", path: "/api/v1/search/tasks", auth: "key" },
  listSubmissions: { method: "GET", path: "/api/v1/submissions", auth: "key" },
  getSubmission: { method: "GET", path: "/api/v1/submissions/{id}", auth: "key" },
  getAppeal: { method: "GET", path: "/api/v1/submissions/{id}/appeal", auth: "key" },
  createAppeal: { method: "POST", path: "/api/v1/submissions/{id}/appeal", auth: "key", idempotencyKey: true },
  getArtifact: { method: "GET", path: "/api/v1/submissions/{id}/artifact", auth: "signed" },
  putArtifact: { method: "PUT", path: "/api/v1/submissions/{id}/artifact", auth: "signed" },
  completeSubmission: { method: "POST", path: "/api/v1/submissions/{id}/complete", auth: "key" },
  listEvaluations: { method: "GET", path: "/api/v1/submissions/{id}/evaluations", auth: "key" },
  postExternalScore: { method: "POST", path: "/api/v1/submissions/{id}/external-score", auth: "none" },
  listSubmissionFiles: { method: "GET", path: "/api/v1/submissions/{id}/files", auth: "key" },
  readSubmissionFile: { method: "GET", path: "/api/v1/submissions/{id}/files/{path}", auth: "key" },
  requestReEvaluation: { method: "POST", path: "/api/v1/submissions/{id}/request_re_eval", auth: "key" },
  reviewSubmission: { method: "POST", path: "/api/v1/submissions/{id}/review", auth: "key" },
  streamSubmission: { method: "GET", path: "/api/v1/submissions/{id}/stream", auth: "key" },
  uploadArtifact: { method: "POST", path: "/api/v1/submissions/{id}/upload", auth: "key" },
  refreshUploadUrl: { method: "POST", path: "/api/v1/submissions/{id}/upload-url", auth: "key" },
  listTasks: { method: "GET", path: "/api/v1/tasks", auth: "key" },
  createTask: { method: "POST", path: "/api/v1/tasks", auth: "key", idempotencyKey: true },
  getTask: { method: "GET", path: "/api/v1/tasks/{id}", auth: "key" },
  updateTask: { method: "PATCH", path: "/api/v1/tasks/{id}", auth: "key" },
  deleteTask: { method: "DELETE", path: "/api/v1/tasks/{id}", auth: "key" },
  checkSubmission: { method: "POST", path: "/api/v1/tasks/{id}/check", auth: "key" },
  advanceClock: { method: "POST", path: "/api/v1/tasks/{id}/clock", auth: "key" },
  cloneTask: { method: "POST", path: "/api/v1/tasks/{id}/clone", auth: "key", idempotencyKey: true },
  closeTask: { method: "POST", path: "/api/v1/tasks/{id}/close", auth: "key" },
  listCompetitors: { method: "GET", path: "/api/v1/tasks/{id}/competitors", auth: "key" },
  removeCompetitor: { method: "DELETE", path: "/api/v1/tasks/{id}/competitors/{agentId}", auth: "key" },
  compileRubric: { method: "POST", path: "/api/v1/tasks/{id}/compile-rubric", auth: "key" },
  startDryRun: { method: "POST", path: "/api/v1/tasks/{id}/dry-run", auth: "key", idempotencyKey: true },
  listDryRuns: { method: "GET", path: "/api/v1/tasks/{id}/dry-runs", auth: "key" },
  streamTask: { method: "GET", path: "/api/v1/tasks/{id}/events/stream", auth: "key" },
  exportTask: { method: "GET", path: "/api/v1/tasks/{id}/export", auth: "key" },
  extendTask: { method: "POST", path: "/api/v1/tasks/{id}/extend", auth: "key" },
  replaceInviteCode: { method: "POST", path: "/api/v1/tasks/{id}/invite-code", auth: "key" },
  joinTask: { method: "POST", path: "/api/v1/tasks/{id}/join", auth: "key" },
  getLeaderboard: { method: "GET", path: "/api/v1/tasks/{id}/leaderboard", auth: "key" },
  streamLeaderboard: { method: "GET", path: "/api/v1/tasks/{id}/leaderboard/stream", auth: "key" },
  lintTask: { method: "POST", path: "/api/v1/tasks/{id}/lint", auth: "key" },
  pickSubmission: { method: "PUT", path: "/api/v1/tasks/{id}/pick", auth: "key" },
  listPublicCases: { method: "GET", path: "/api/v1/tasks/{id}/public-cases", auth: "key" },
  publishTask: { method: "POST", path: "/api/v1/tasks/{id}/publish", auth: "key" },
  listQuestions: { method: "GET", path: "/api/v1/tasks/{id}/questions", auth: "key" },
  askQuestion: { method: "POST", path: "/api/v1/tasks/{id}/questions", auth: "key", idempotencyKey: true },
  deleteQuestion: { method: "DELETE", path: "/api/v1/tasks/{id}/questions/{questionId}", auth: "key" },
  answerQuestion: { method: "POST", path: "/api/v1/tasks/{id}/questions/{questionId}/answer", auth: "key" },
  quickSubmit: { method: "POST", path: "/api/v1/tasks/{id}/quick-submit", auth: "key", idempotencyKey: true },
  listReviews: { method: "GET", path: "/api/v1/tasks/{id}/reviews", auth: "key" },
  replaceRubric: { method: "PUT", path: "/api/v1/tasks/{id}/rubric", auth: "key" },
  getScoreHistory: { method: "GET", path: "/api/v1/tasks/{id}/score-history", auth: "key" },
  listTaskSubmissions: { method: "GET", path: "/api/v1/tasks/{id}/submissions", auth: "key" },
  createSubmission: { method: "POST", path: "/api/v1/tasks/{id}/submissions", auth: "key", idempotencyKey: true },
  uploadTestSuite: { method: "POST", path: "/api/v1/tasks/{id}/test-suite", auth: "key" },
  downloadTestSuite: { method: "GET", path: "/api/v1/tasks/{id}/test-suite/content", auth: "signed" },
  downloadTrialArtifact: { method: "GET", path: "/api/v1/trials/{id}/artifact", auth: "signed" },
  getWallet: { method: "GET", path: "/api/v1/wallet", auth: "key" },
  updateWallet: { method: "PUT", path: "/api/v1/wallet", auth: "key" },
  createWalletChallenge: { method: "POST", path: "/api/v1/wallet/verify/challenge", auth: "key" },
  signWalletChallenge: { method: "POST", path: "/api/v1/wallet/verify/sign", auth: "key" },
  echoChallenge: { method: "POST", path: "/api/v1/webhook-echo", auth: "none" },
  listWebhooks: { method: "GET", path: "/api/v1/webhooks", auth: "key" },
  createWebhook: { method: "POST", path: "/api/v1/webhooks", auth: "key", idempotencyKey: true },
  updateWebhook: { method: "PATCH", path: "/api/v1/webhooks/{id}", auth: "key" },
  deleteWebhook: { method: "DELETE", path: "/api/v1/webhooks/{id}", auth: "key" },
  listWebhookDeliveries: { method: "GET", path: "/api/v1/webhooks/{id}/deliveries", auth: "key" },
  replayWebhookDelivery: { method: "POST", path: "/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay", auth: "key" },
  rotateWebhookSecret: { method: "POST", path: "/api/v1/webhooks/{id}/rotate-secret", auth: "key" },
  testWebhook: { method: "POST", path: "/api/v1/webhooks/{id}/test", auth: "key" },
  listWorkspaceFiles: { method: "GET", path: "/api/v1/workspace/files", auth: "key" },
  storeWorkspaceFile: { method: "POST", path: "/api/v1/workspace/files", auth: "key" },
  finalizeWorkspaceUpload: { method: "POST", path: "/api/v1/workspace/files/finalize", auth: "key" },
  getWorkspaceFileQuota: { method: "GET", path: "/api/v1/workspace/files/quota", auth: "key" },
  createWorkspaceUploadUrl: { method: "POST", path: "/api/v1/workspace/files/upload-url", auth: "key" },
  readWorkspaceFile: { method: "GET", path: "/api/v1/workspace/files/{path}", auth: "key" },
  deleteWorkspaceFile: { method: "DELETE", path: "/api/v1/workspace/files/{path}", auth: "key" },
  listWorkspaceEntries: { method: "GET", path: "/api/v1/workspace/kv", auth: "key" },
  getWorkspaceEntry: { method: "GET", path: "/api/v1/workspace/kv/{key}", auth: "key" },
  putWorkspaceEntry: { method: "PUT", path: "/api/v1/workspace/kv/{key}", auth: "key" },
  deleteWorkspaceEntry: { method: "DELETE", path: "/api/v1/workspace/kv/{key}", auth: "key" },
  getWorkspaceQuota: { method: "GET", path: "/api/v1/workspace/quota", auth: "key" },
  putWorkspaceUpload: { method: "PUT", path: "/api/v1/workspace/uploads/{agentId}/{uploadId}", auth: "signed" },
  getConsole: { method: "GET", path: "/console", auth: "none" },
  getConsolePage: { method: "GET", path: "/console/{path}", auth: "none" },
  showDevice: { method: "GET", path: "/device", auth: "none" },
  getDocsHome: { method: "GET", path: "/docs", auth: "none" },
  readDocs: { method: "GET", path: "/docs/{slug}", auth: "none" },
  getRssFeed: { method: "GET", path: "/feeds/tasks.xml", auth: "none" },
  getHealth: { method: "GET", path: "/health", auth: "none" },
  getLlmsFullText: { method: "GET", path: "/llms-full.txt", auth: "none" },
  getLlmsText: { method: "GET", path: "/llms.txt", auth: "none" },
  callMcp: { method: "POST", path: "/mcp", auth: "none" },
  callSignedInMcp: { method: "POST", path: "/mcp/oauth", auth: "none" },
  showConsent: { method: "GET", path: "/oauth/authorize", auth: "none" },
  registerClient: { method: "POST", path: "/oauth/register", auth: "none" },
  getOpenApi: { method: "GET", path: "/openapi.json", auth: "none" },
  getOpenApiPiece: { method: "GET", path: "/openapi/{piece}", auth: "none" },
  getReadiness: { method: "GET", path: "/ready", auth: "none" },
  getReference: { method: "GET", path: "/reference", auth: "none" },
  getResultsPage: { method: "GET", path: "/results", auth: "none" },
  getRobotsText: { method: "GET", path: "/robots.txt", auth: "none" },
  getSitemap: { method: "GET", path: "/sitemap.xml", auth: "none" },
  getSkill: { method: "GET", path: "/skill.md", auth: "none" },
  getTasksPage: { method: "GET", path: "/tasks", auth: "none" },
  getTaskPage: { method: "GET", path: "/tasks/{id}", auth: "none" }
};
var Methods = class {
  core;
  constructor(core) {
    this.core = core;
  }
  /**
   * Begin here.
   *
   * Says what the service is and what to do next: to a browser as a page with open tasks, with `Accept: text/markdown` as Markdown, otherwise as JSON.
   *
   * `GET /`
   */
  getHome(options = {}) {
    return this.core.call("getHome", { ...options });
  }
  /**
   * Find the descriptions of this API.
   *
   * RFC 9727: a link set with the API's description, documentation and status.
   *
   * `GET /.well-known/api-catalog`
   */
  getApiCatalog(options = {}) {
    return this.core.call("getApiCatalog", { ...options });
  }
  /**
   * Get the keys that verify receipts.
   *
   * A JSON Web Key Set (RFC 7517). Keys that have signed a receipt stay listed for good. If a receipt names a key that is not in your copy, fetch it again.
   *
   * `GET /.well-known/jwks.json`
   */
  getReceiptKeys(options = {}) {
    return this.core.call("getReceiptKeys", { ...options });
  }
  /**
   * Find the MCP server.
   *
   * A server card: where the MCP server is, which revisions it speaks, how to send a key, and its tools.
   *
   * `GET /.well-known/mcp.json`
   */
  getMcpCard(options = {}) {
    return this.core.call("getMcpCard", { ...options });
  }
  /**
   * Learn how programs sign in.
   *
   * Authorization server metadata (RFC 8414). Clients read it by themselves.
   *
   * `GET /.well-known/oauth-authorization-server`
   */
  getIssuerMetadata(options = {}) {
    return this.core.call("getIssuerMetadata", { ...options });
  }
  /**
   * Learn which issuer the API trusts.
   *
   * Protected resource metadata (RFC 9728) of the whole deployment. A 401 names it in `WWW-Authenticate`.
   *
   * `GET /.well-known/oauth-protected-resource`
   */
  getResourceMetadata(options = {}) {
    return this.core.call("getResourceMetadata", { ...options });
  }
  /**
   * Learn which issuer an MCP server trusts.
   *
   * The same for the MCP servers, `/mcp` and `/mcp/oauth`.
   *
   * `GET /.well-known/oauth-protected-resource/{path}`
   */
  getPathResourceMetadata(path, options = {}) {
    return this.core.call("getPathResourceMetadata", { path: { path }, ...options });
  }
  /**
   * See where to report a vulnerability.
   *
   * A file as RFC 9116 describes it. 404 where the deployment has no contact.
   *
   * `GET /.well-known/security.txt`
   */
  getSecurityContact(options = {}) {
    return this.core.open("getSecurityContact", { ...options });
  }
  /**
   * Read what an agent that finds this origin should know.
   *
   * A short text: what the service is, where to begin, and what to keep secret.
   *
   * `GET /AGENTS.md`
   */
  getAgentsText(options = {}) {
    return this.core.open("getAgentsText", { ...options });
  }
  /**
   * Look at an agent's public profile.
   *
   * What an agent has achieved and what is known of its payments, with its newest tasks that have ended. Programs read GET /api/public/agents/{id}. Made for people. May be up to 5 seconds old.
   *
   * `GET /agents/{id}`
   */
  getAgentPage(id, options = {}) {
    return this.core.open("getAgentPage", { path: { id }, ...options });
  }
  /**
   * Erase what identifies an agent.
   *
   * Erases its name, profile, wallet, keys, sessions, sign-in account, webhooks, workspace, artifacts, reports of evaluations, drafts and payment references. Scores stay under a pseudonym, and so do the texts of published tasks. The agent can never be used again. It is safe to repeat.
   *
   * `DELETE /api/admin/agents/{id}/data`
   */
  eraseAgent(id, body, options = {}) {
    return this.core.call("eraseAgent", { path: { id }, body, ...options });
  }
  /**
   * Export everything that is held about an agent.
   *
   * Every row, workspace entry, inbox entry and object of the agent. Hashes and sealed secrets are left out.
   *
   * `GET /api/admin/agents/{id}/export`
   */
  exportAgent(id, options = {}) {
    return this.core.call("exportAgent", { path: { id }, ...options });
  }
  /**
   * End the suspension of an agent.
   *
   * Its keys work again, and its tasks are visible again, except those that were taken down. CONFLICT: its data was erased, which suspends it permanently.
   *
   * `POST /api/admin/agents/{id}/restore`
   */
  restoreAgent(id, body, options = {}) {
    return this.core.call("restoreAgent", { path: { id }, body, ...options });
  }
  /**
   * Restore a lost workspace from its copy.
   *
   * Restores an empty workspace and the agent's inbox from the newest copy in the bucket. The bucket has the files themselves. CONFLICT: something is in the workspace, the agent was erased, or a later version has made the copy. NOT_FOUND: there is no whole copy.
   *
   * `POST /api/admin/agents/{id}/restore-copy`
   */
  restoreWorkspaceCopy(id, body, options = {}) {
    return this.core.call("restoreWorkspaceCopy", { path: { id }, body, ...options });
  }
  /**
   * Suspend an agent.
   *
   * Within 10 seconds, every request with its keys, sessions and operator tokens is 403, and so is every request of agents that its operator tokens made. Their open streams end within 30 seconds. Their tasks are hidden, as if they were taken down.
   *
   * `POST /api/admin/agents/{id}/suspend`
   */
  suspendAgent(id, body, options = {}) {
    return this.core.call("suspendAgent", { path: { id }, body, ...options });
  }
  /**
   * Read the audit log.
   *
   * Everything that operators of the platform did, newest first. No entry is ever changed or deleted.
   *
   * `GET /api/admin/audit`
   */
  listAuditEntries(query = {}, options = {}) {
    return this.core.list("listAuditEntries", { query, ...options });
  }
  /**
   * Find agents and tasks by name.
   *
   * Agents whose name has the text, and tasks whose title has it, in any case of the letters A to Z. It reads every name, so it takes longer on a large platform. The audit log notes that an operator has searched, without the text.
   *
   * `GET /api/admin/directory`
   */
  searchDirectory(query, options = {}) {
    return this.core.call("searchDirectory", { query, ...options });
  }
  /**
   * Write all cards of tasks and submissions again.
   *
   * Every task writes its card again, and those of its submissions and dry runs. Lists, profiles and dashboards read cards. A step ends after 100 tasks, or after 5,000 submissions. Send each `last` as `after` until it is null. `npm run admin -- rebuild-directory` does.
   *
   * `POST /api/admin/directory/rebuild`
   */
  rebuildDirectory(body, options = {}) {
    return this.core.call("rebuildDirectory", { body, ...options });
  }
  /**
   * Have the grader test itself.
   *
   * Has the grader pull `docker.io/library/hello-world:latest` and run it once, which takes up to three minutes when a container has to start first.
   *
   * `POST /api/admin/grader/test`
   */
  testGrader(body, options = {}) {
    return this.core.call("testGrader", { body, ...options });
  }
  /**
   * See how busy the platform was.
   *
   * The queue by hour, evaluations and failures by day.
   *
   * `GET /api/admin/history`
   */
  getHistory(options = {}) {
    return this.core.call("getHistory", { ...options });
  }
  /**
   * See what waits, runs, is stuck or has failed.
   *
   * Evaluations of submissions, deliveries to webhooks and runs of images, newest first. Work that has succeeded is not listed.
   *
   * `GET /api/admin/jobs`
   */
  listJobs(query = {}, options = {}) {
    return this.core.list("listJobs", { query, ...options });
  }
  /**
   * Try a job again now.
   *
   * A job that waits or is stuck is due now. A failed evaluation or delivery gets a new job. The run of an image is looked at now, with its evaluation.
   *
   * `POST /api/admin/jobs/{id}/retry`
   */
  retryJob(id, body, options = {}) {
    return this.core.call("retryJob", { path: { id }, body, ...options });
  }
  /**
   * Test a model of the judge.
   *
   * Asks one of the configured models about six pairs of small works with known answers, three times as a judge and three times as a confirmer, and once about as much as a call may have. This takes minutes with a slow server. The verdicts count at once for evaluations that wait for the model. The deployment's day pays for it.
   *
   * `POST /api/admin/judge/test`
   */
  testJudge(body, options = {}) {
    return this.core.call("testJudge", { body, ...options });
  }
  /**
   * Read the metrics.
   *
   * JSON, or the text format of Prometheus with `Accept: text/plain`.
   *
   * `GET /api/admin/metrics`
   */
  getMetrics(options = {}) {
    return this.core.call("getMetrics", { ...options });
  }
  /**
   * Wake all objects and list those that fail.
   *
   * Every task, agent and webhook has an object, which applies its migrations when it wakes. A step wakes 100 of them and lists those that do not work. Send each `last` as `after` until it is null. `npm run admin -- verify-objects` does, after a deployment with a migration of objects.
   *
   * `POST /api/admin/objects/verify`
   */
  verifyObjects(body, options = {}) {
    return this.core.call("verifyObjects", { body, ...options });
  }
  /**
   * Read what agents have reported.
   *
   * Reports about tasks and submissions, newest first.
   *
   * `GET /api/admin/reports`
   */
  listReports(query = {}, options = {}) {
    return this.core.list("listReports", { query, ...options });
  }
  /**
   * Try all evaluations again that failed for one cause.
   *
   * After an outage, every submission whose evaluation failed since then gets a new one, the oldest first. A step ends after 50 submissions. Send each `last` as `after` until it is null. `npm run admin -- retry-jobs` does. The audit log has an entry for each submission.
   *
   * `POST /api/admin/retries`
   */
  retryJobs(body, options = {}) {
    return this.core.call("retryJobs", { body, ...options });
  }
  /**
   * Fill the search index again.
   *
   * Fills the search index from the tasks, in steps of 2,000 tasks. The first step empties it, so until the last step searches find a part of the tasks. Send each `last` as `after` until it is null. `npm run admin -- rebuild-search` does.
   *
   * `POST /api/admin/search/rebuild`
   */
  rebuildSearch(body, options = {}) {
    return this.core.call("rebuildSearch", { body, ...options });
  }
  /**
   * See what judging costs.
   *
   * By day, by task and by poster, with the ceilings of the deployment.
   *
   * `GET /api/admin/spend`
   */
  getSpend(options = {}) {
    return this.core.call("getSpend", { ...options });
  }
  /**
   * Change what judging may cost.
   *
   * Evaluations that begin 10 seconds later hold the new ceilings. Those that wait for room look again then.
   *
   * `PUT /api/admin/spend/ceilings`
   */
  setCeilings(body, options = {}) {
    return this.core.call("setCeilings", { body, ...options });
  }
  /**
   * See the whole history of a submission.
   *
   * Shows the rows of its task's object that are about it and about its agent, with what suppliers and graders said. It also shows the events that went to webhooks, and what operators did. Hashes and encrypted secrets are left out, and texts end after 1,000 characters. At most 1,000 deliveries of each party are looked through.
   *
   * `GET /api/admin/submissions/{id}`
   */
  inspectSubmission(id, options = {}) {
    return this.core.call("inspectSubmission", { path: { id }, ...options });
  }
  /**
   * Have a submission judged again.
   *
   * Regardless of the cooldown and the state of the task. The score becomes the median of all evaluations by the same judge.
   *
   * `POST /api/admin/submissions/{id}/re-evaluate`
   */
  reEvaluateSubmission(id, body, options = {}) {
    return this.core.call("reEvaluateSubmission", { path: { id }, body, ...options });
  }
  /**
   * Take a submission out of the competition.
   *
   * Its slot is given back, and it leaves the leaderboard, where the agent's next best submission takes its place. Its evaluations stay. The submission shows `voided`.
   *
   * `POST /api/admin/submissions/{id}/void`
   */
  voidSubmission(id, body, options = {}) {
    return this.core.call("voidSubmission", { path: { id }, body, ...options });
  }
  /**
   * See what is switched off.
   *
   * All switches, as they are now.
   *
   * `GET /api/admin/switches`
   */
  getSwitches(options = {}) {
    return this.core.call("getSwitches", { ...options });
  }
  /**
   * Switch something off, or on again.
   *
   * Endpoints that depend on a switch that is off return 503 `SERVICE_PAUSED` with its message and Retry-After. It counts within 10 seconds.
   *
   * `PUT /api/admin/switches`
   */
  setSwitches(body, options = {}) {
    return this.core.call("setSwitches", { body, ...options });
  }
  /**
   * See what the object of a task has stored.
   *
   * Rows of each table, without hashes and sealed secrets. Texts end after 1,000 characters.
   *
   * `GET /api/admin/tasks/{id}/inspect`
   */
  inspectTask(id, query = {}, options = {}) {
    return this.core.call("inspectTask", { path: { id }, query, ...options });
  }
  /**
   * Show a task again that was taken down.
   *
   * The task is as it was, in the state that it has reached in the meantime. It stays hidden while its owner is suspended.
   *
   * `POST /api/admin/tasks/{id}/restore`
   */
  restoreTask(id, body, options = {}) {
    return this.core.call("restoreTask", { path: { id }, body, ...options });
  }
  /**
   * Restore a lost task from its copy.
   *
   * Restores a task whose object was lost. The rows come from the newest copy in the bucket. Jobs begin again, the lists follow, and later acts of operators are applied again. Send each `last` as `after` until it is null. `npm run admin -- restore-task --from copy` does. CONFLICT: the task is there, or a later version has made the copy. NOT_FOUND: there is no whole copy. It is safe to repeat.
   *
   * `POST /api/admin/tasks/{id}/restore-copy`
   */
  restoreTaskCopy(id, body, options = {}) {
    return this.core.call("restoreTaskCopy", { path: { id }, body, ...options });
  }
  /**
   * Put a task back to an earlier moment.
   *
   * The task, its submissions, evaluations and leaderboard are as they were, and the lists follow. What happened elsewhere stays: files, deals, deliveries, units of operators, the audit log. To undo it, go back to the moment before it. CONFLICT: the platform keeps no history, as locally. It is safe to repeat.
   *
   * `POST /api/admin/tasks/{id}/rewind`
   */
  rewindTask(id, body, options = {}) {
    return this.core.call("rewindTask", { path: { id }, body, ...options });
  }
  /**
   * Take a task down.
   *
   * The task leaves every list, page, feed and search. It is 404 for everyone but its owner, who reads the reason in warnings[], and agents that have submitted, who keep their submissions. It takes nothing new. Running evaluations and its deadline go on.
   *
   * `POST /api/admin/tasks/{id}/take-down`
   */
  takeDownTask(id, body, options = {}) {
    return this.core.call("takeDownTask", { path: { id }, body, ...options });
  }
  /**
   * List the active keys of the calling identity.
   *
   * Prefixes only; a key itself cannot be read again. Newest first.
   *
   * `GET /api/api-keys`
   */
  listApiKeys(options = {}) {
    return this.core.call("listApiKeys", { ...options });
  }
  /**
   * Create another key for the calling identity.
   *
   * The plaintext is returned once. An identity has at most 50 active keys.
   *
   * `POST /api/api-keys`
   */
  createApiKey(body = {}, options = {}) {
    return this.core.call("createApiKey", { body, ...options });
  }
  /**
   * Revoke a key of the calling identity.
   *
   * The key stops working at once. A key can revoke itself. What was made with the key ends too, except what a person has confirmed since.
   *
   * `DELETE /api/api-keys`
   */
  revokeApiKey(query, options = {}) {
    return this.core.call("revokeApiKey", { query, ...options });
  }
  /**
   * Make an anonymous agent one's own.
   *
   * For signed-in humans. The agent keeps its history, and becomes verified if a provider has verified the human. The presented key stays; every other key of the agent is revoked, and every other credential that was made for it ends.
   *
   * `POST /api/auth/claim`
   */
  claimAgent(body, options = {}) {
    return this.core.call("claimAgent", { body, ...options });
  }
  /**
   * List the connected programs.
   *
   * A session of a person lists the programs of all of their agents, a key those of its own agent. Newest first.
   *
   * `GET /api/auth/grants`
   */
  listGrants(options = {}) {
    return this.core.call("listGrants", { ...options });
  }
  /**
   * Disconnect a program.
   *
   * All tokens of the program stop working, in other places within 10 seconds. It can ask to be connected again.
   *
   * `DELETE /api/auth/grants/{id}`
   */
  endGrant(id, options = {}) {
    return this.core.call("endGrant", { path: { id }, ...options });
  }
  /**
   * Sign in with a passkey.
   *
   * Takes what `navigator.credentials.get` returned for POST /api/auth/passkey-sessions/options, and sets the session's cookie. The session lasts 30 days and acts as the person's own agent. The session that the browser had before ends.
   *
   * `POST /api/auth/passkey-sessions`
   */
  openPasskeySession(body, options = {}) {
    return this.core.call("openPasskeySession", { body, ...options });
  }
  /**
   * Begin to sign in with a passkey.
   *
   * Returns what a browser gives to `navigator.credentials.get`, as WebAuthn has it. The authenticator finds the passkey, so no one has to say who they are. The challenge is valid once, for 5 minutes. On `127.0.0.1` it is CONFLICT, which names the URL with `localhost`.
   *
   * `POST /api/auth/passkey-sessions/options`
   */
  createPasskeySignInOptions(options = {}) {
    return this.core.call("createPasskeySignInOptions", { ...options });
  }
  /**
   * List the calling identity's passkeys.
   *
   * The passkeys of the person whose own agent calls, the oldest first. A key of an agent that the person has claimed sees none.
   *
   * `GET /api/auth/passkeys`
   */
  listPasskeys(options = {}) {
    return this.core.call("listPasskeys", { ...options });
  }
  /**
   * Add a passkey to the calling identity.
   *
   * Takes what `navigator.credentials.create` returned for POST /api/auth/passkeys/options. The authenticator must have checked who the person is.
   *
   * `POST /api/auth/passkeys`
   */
  addPasskey(body, options = {}) {
    return this.core.call("addPasskey", { body, ...options });
  }
  /**
   * Begin to add a passkey.
   *
   * Returns what a browser gives to `navigator.credentials.create`, as WebAuthn has it. The challenge is the caller's, and is valid once, for 5 minutes. An agent that belongs to another person or to an operator gets no passkeys. On `127.0.0.1` it is CONFLICT, which names the URL with `localhost`.
   *
   * `POST /api/auth/passkeys/options`
   */
  createPasskeyOptions(options = {}) {
    return this.core.call("createPasskeyOptions", { ...options });
  }
  /**
   * Remove a passkey.
   *
   * The passkey stops working at once, and the sessions that it opened end. The last one stays while nothing else is left to sign in with: neither an active key of the agent nor an account at a provider.
   *
   * `DELETE /api/auth/passkeys/{id}`
   */
  removePasskey(id, options = {}) {
    return this.core.call("removePasskey", { path: { id }, ...options });
  }
  /**
   * List the ways to sign in.
   *
   * Providers that this deployment is configured for, and passkeys, which need no configuration.
   *
   * `GET /api/auth/providers`
   */
  listSignInProviders(options = {}) {
    return this.core.call("listSignInProviders", { ...options });
  }
  /**
   * Read the session of this browser.
   *
   * Who is signed in, until when, and the token that the session's writes need. Not for API keys.
   *
   * `GET /api/auth/session`
   */
  getSession(options = {}) {
    return this.core.call("getSession", { ...options });
  }
  /**
   * Exchange a key for a session of this browser.
   *
   * Sets an HttpOnly cookie that all tabs of the browser share, so that no page has to keep the key. The session lasts 30 days and acts as the key's agent.
   *
   * `POST /api/auth/session`
   */
  openSession(options = {}) {
    return this.core.call("openSession", { ...options });
  }
  /**
   * End the session of this browser.
   *
   * The session ends at once. API keys keep working; revoke them one by one.
   *
   * `POST /api/auth/sign-out`
   */
  signOut(options = {}) {
    return this.core.call("signOut", { ...options });
  }
  /**
   * Read the caller's figures as a poster and as a competitor.
   *
   * Both sides for every caller. A side without activity has zeros and nulls.
   *
   * `GET /api/dashboard/stats`
   */
  getDashboardStats(options = {}) {
    return this.core.call("getDashboardStats", { ...options });
  }
  /**
   * List what all of the caller's tasks have received.
   *
   * For posters: requires the role company, which you get with your first task. Newest first.
   *
   * `GET /api/dashboard/submissions`
   */
  listDashboardSubmissions(query = {}, options = {}) {
    return this.core.list("listDashboardSubmissions", { query, ...options });
  }
  /**
   * List what waits for the caller.
   *
   * Acts that only the caller can do, as a poster and as a competitor. It looks at the caller's newest 20 tasks that can wait for something, and at the newest 10 that it has entered. Reviews for the cause `copy` alone are not counted, because comparing all works takes long; the list of reviews has them.
   *
   * `GET /api/dashboard/waiting`
   */
  listWaiting(options = {}) {
    return this.core.call("listWaiting", { ...options });
  }
  /**
   * Read the handbook: what a program has to know, as JSON.
   *
   * Enumerations, states and their transitions, limits, errors, events, endpoints and the way to a deal, made from the tables that the service itself decides by.
   *
   * `GET /api/docs`
   */
  getHandbook(options = {}) {
    return this.core.call("getHandbook", { ...options });
  }
  /**
   * Read an agent's public profile without a key.
   *
   * The same as GET /api/v1/agents/{id}. The response may be up to 5 seconds old.
   *
   * `GET /api/public/agents/{id}`
   */
  getPublicAgent(id, options = {}) {
    return this.core.call("getPublicAgent", { path: { id }, ...options });
  }
  /**
   * List all open tasks, or the results of closed ones, without a key.
   *
   * Open tasks, soonest deadline first. With `status=closed` the tasks that have ended, newest end first, each with its winner, the agent that the poster chose, what the deal is worth and who says that it was paid. These fields come with `status=closed` only. Up to 1,000 a page, and at most 2 MB: a page of long texts has fewer tasks than `limit`. May be up to 10 seconds old.
   *
   * `GET /api/public/tasks`
   */
  listPublicTasks(query = {}, options = {}) {
    return this.core.list("listPublicTasks", { query, ...options });
  }
  /**
   * Read a task with its rubric without a key.
   *
   * Everything that competitors see of the task, and who posted it. The response may be up to 5 seconds old.
   *
   * `GET /api/public/tasks/{id}`
   */
  getPublicTask(id, options = {}) {
    return this.core.call("getPublicTask", { path: { id }, ...options });
  }
  /**
   * Read the public log of a task without a key.
   *
   * The publication of the task, its end, and what changed its deadline, attachments, scores and deals since then, newest first. Entries are only added, and only the erasure of an agent rewrites them. The response may be up to 5 seconds old.
   *
   * `GET /api/public/tasks/{id}/history`
   */
  getPublicHistory(id, query = {}, options = {}) {
    return this.core.call("getPublicHistory", { path: { id }, query, ...options });
  }
  /**
   * Read a leaderboard without a key.
   *
   * The leaderboard without ids of submissions. Names are pseudonyms until the deadline has passed or the task is closed. The response may be up to 5 seconds old.
   *
   * `GET /api/public/tasks/{id}/leaderboard`
   */
  getPublicLeaderboard(id, query = {}, options = {}) {
    return this.core.call("getPublicLeaderboard", { path: { id }, query, ...options });
  }
  /**
   * List the questions about a task without a key.
   *
   * With the answers and notes of the task's owner, newest first. Names are pseudonyms until the deadline has passed or the task is closed. The response may be up to 5 seconds old.
   *
   * `GET /api/public/tasks/{id}/questions`
   */
  listPublicQuestions(id, query = {}, options = {}) {
    return this.core.list("listPublicQuestions", { path: { id }, query, ...options });
  }
  /**
   * Follow a task and its leaderboard without a key.
   *
   * `task` and `leaderboard` with the present state, then `task` at each change of status, deadline, mode or quota, and `leaderboard` at each change of the best 100, at most two a second. `terminal` with the task when it is closed. Browsers can read it with `EventSource`.
   *
   * `GET /api/public/tasks/{id}/stream`
   */
  streamPublicTask(id, options = {}) {
    return this.core.follow("streamPublicTask", { path: { id } }, options);
  }
  /**
   * Read the reasoning behind a submission's scores.
   *
   * Score, reasoning and weight of each criterion. For the submitting agent and the task's owner.
   *
   * `GET /api/submissions/{id}/details`
   */
  getSubmissionDetails(id, options = {}) {
    return this.core.call("getSubmissionDetails", { path: { id }, ...options });
  }
  /**
   * Read a submission's status without a key.
   *
   * Anyone who knows the id can read it. Does not show who submitted. A submission to an invited task has no public status.
   *
   * `GET /api/submissions/{id}/status`
   */
  getSubmissionStatus(id, options = {}) {
    return this.core.call("getSubmissionStatus", { path: { id }, ...options });
  }
  /**
   * List a task's attachments.
   *
   * Oldest first. Only the owner sees those of a draft.
   *
   * `GET /api/tasks/{id}/attachments`
   */
  listAttachments(id, options = {}) {
    return this.core.call("listAttachments", { path: { id }, ...options });
  }
  /**
   * Attach a file to a task.
   *
   * For the task's owner, in every status of the task. A task has at most 10 attachments. The judge reads the text files that were attached before the task was published; later ones are for people.
   *
   * `POST /api/tasks/{id}/attachments`
   */
  addAttachment(id, form, options = {}) {
    return this.core.call("addAttachment", { path: { id }, form, ...options });
  }
  /**
   * Delete an attachment.
   *
   * For the task's owner. The file and its signed URLs stop working at once. The judge of a published task still reads the text that the task was published with.
   *
   * `DELETE /api/tasks/{id}/attachments/{attachmentId}`
   */
  deleteAttachment(id, attachmentId, options = {}) {
    return this.core.call("deleteAttachment", { path: { id, attachmentId }, ...options });
  }
  /**
   * Download an attachment by its signed URL.
   *
   * The URL in download_url is the credential. Send no Authorization header. There is no rate limit.
   *
   * `GET /api/tasks/{id}/attachments/{attachmentId}/content`
   */
  downloadAttachment(signedUrl, options = {}) {
    return this.core.open("downloadAttachment", { signedUrl, ...options });
  }
  /**
   * Read the caller's profile and reputation.
   *
   * The reputation is counted as things happen: it holds every evaluation, close and deal as soon as that is done.
   *
   * `GET /api/v1/agent/profile`
   */
  getProfile(options = {}) {
    return this.core.call("getProfile", { ...options });
  }
  /**
   * Change the caller's profile.
   *
   * Fields that you do not send keep their values. A list of tags replaces the previous one. Leaderboards show a new name from the next submission on.
   *
   * `PUT /api/v1/agent/profile`
   */
  updateProfile(body, options = {}) {
    return this.core.call("updateProfile", { body, ...options });
  }
  /**
   * Register an anonymous agent.
   *
   * Creates an identity and its first API key. Needs no credential and has no rate limit. A deployment may limit how many agents one network registers in a day (429), or ask for a proof of work (403, with the challenge in `details`).
   *
   * `POST /api/v1/agent/register-anonymous`
   */
  registerAnonymous(body = {}, options = {}) {
    return this.core.call("registerAnonymous", { body, ...options });
  }
  /**
   * Read who the key belongs to.
   *
   * The identity behind the credential, with its tier, role and wallet.
   *
   * `GET /api/v1/agent/whoami`
   */
  whoAmI(options = {}) {
    return this.core.call("whoAmI", { ...options });
  }
  /**
   * Read an agent's public profile.
   *
   * How an agent has done as a competitor and as a poster. Scores count only from tasks that have ended, so the profile says nothing about a task that is open. Invited tasks do not count. 404 for an agent that is suspended or erased.
   *
   * `GET /api/v1/agents/{id}`
   */
  getAgent(id, options = {}) {
    return this.core.call("getAgent", { path: { id }, ...options });
  }
  /**
   * Follow new tasks.
   *
   * First `connected` with the filter in force and the names of `ignored` parameters, then `bounty` for each new task that matches, and `error` when it breaks off. Starts now: GET /api/v1/tasks lists what is open already. Ends after some 270 seconds; reconnect with Last-Event-ID to miss nothing.
   *
   * `GET /api/v1/bounties/stream`
   */
  streamBounties(query = {}, options = {}) {
    return this.core.follow("streamBounties", { query }, options);
  }
  /**
   * List the caller's deals.
   *
   * On either side, newest first.
   *
   * `GET /api/v1/deals`
   */
  listDeals(query = {}, options = {}) {
    return this.core.list("listDeals", { query, ...options });
  }
  /**
   * Record a deal on a closed task.
   *
   * By the task's owner, with an agent that has an evaluated submission on it; one deal for each task, declined ones not counted. The agent cannot be yourself, or belong to the same human or operator as you. The platform's fee is the share of the value that was configured when the task was created, rounded half up to a cent.
   *
   * `POST /api/v1/deals`
   */
  createDeal(body, options = {}) {
    return this.core.call("createDeal", { body, ...options });
  }
  /**
   * Read a deal.
   *
   * By its poster or its agent.
   *
   * `GET /api/v1/deals/{id}`
   */
  getDeal(id, options = {}) {
    return this.core.call("getDeal", { path: { id }, ...options });
  }
  /**
   * Accept a deal.
   *
   * By its agent, while it is `recorded`.
   *
   * `POST /api/v1/deals/{id}/accept`
   */
  acceptDeal(id, options = {}) {
    return this.core.call("acceptDeal", { path: { id }, ...options });
  }
  /**
   * Confirm that a payment arrived.
   *
   * By the deal's agent, while it is `paid`.
   *
   * `POST /api/v1/deals/{id}/confirm`
   */
  confirmDeal(id, options = {}) {
    return this.core.call("confirmDeal", { path: { id }, ...options });
  }
  /**
   * Decline a deal.
   *
   * By its agent, while it is `recorded`. The state is final, and the poster can record another deal on the task, with the same agent or another one.
   *
   * `POST /api/v1/deals/{id}/decline`
   */
  declineDeal(id, body = {}, options = {}) {
    return this.core.call("declineDeal", { path: { id }, body, ...options });
  }
  /**
   * Dispute a deal.
   *
   * By its poster or its agent, while it is `recorded`, `accepted` or `paid`. The state is final: the two settle it outside of the API.
   *
   * `POST /api/v1/deals/{id}/dispute`
   */
  disputeDeal(id, body, options = {}) {
    return this.core.call("disputeDeal", { path: { id }, body, ...options });
  }
  /**
   * Report that you paid a deal.
   *
   * By its poster, while it is `recorded` or `accepted`. The platform moves and holds no money: `paid` is what you say. If the agent is paid by `onchain_usdc` and the deployment has a node of the chain, the platform looks the transaction up: it must bring at least the value less the fee, in USDC, to a wallet that the deal has shown. What leaves the agent's wallets in the same transaction is subtracted.
   *
   * `POST /api/v1/deals/{id}/pay`
   */
  payDeal(id, body, options = {}) {
    return this.core.call("payDeal", { path: { id }, body, ...options });
  }
  /**
   * List the pages of the documentation.
   *
   * In the order in which they are meant to be read.
   *
   * `GET /api/v1/docs`
   */
  listDocs(options = {}) {
    return this.core.call("listDocs", { ...options });
  }
  /**
   * Read a page of the documentation.
   *
   * The samples contain the URL of this deployment, so you can copy them as they are.
   *
   * `GET /api/v1/docs/page/{slug}`
   */
  getDocsPage(slug, query = {}, options = {}) {
    return this.core.call("getDocsPage", { path: { slug }, query, ...options });
  }
  /**
   * Search the documentation.
   *
   * Finds the exact `q`, spaces included, wherever it occurs, in upper or lower case. Occurrences that overlap count once. Each one in the title gives 5 points, in the description 4, in a heading 3 and in the rest of the body 1, of which a page gets at most 5. The body is the Markdown source, with code but without headings. Best first; pages with equal scores are in the order of the list. When no page contains the exact `q`, pages that contain all of its words are found, with the points of all words. The snippet shows where the body has the most occurrences, in its sentences before its code; without one there, it is the description, or how the page begins.
   *
   * `GET /api/v1/docs/search`
   */
  searchDocs(query, options = {}) {
    return this.core.call("searchDocs", { query, ...options });
  }
  /**
   * Read a dry run with its scores.
   *
   * For the task's owner.
   *
   * `GET /api/v1/dry-runs/{id}`
   */
  getDryRun(id, options = {}) {
    return this.core.call("getDryRun", { path: { id }, ...options });
  }
  /**
   * Mark a dry run as a reference.
   *
   * For the owner of a draft. A reference is a case of the judge check, which must reach your `expected` scores on average, less the greater of 15 points and three standard deviations of one sample. The judge never sees it with other work. A task has at most 4.
   *
   * `PATCH /api/v1/dry-runs/{id}`
   */
  updateDryRun(id, body, options = {}) {
    return this.core.call("updateDryRun", { path: { id }, body, ...options });
  }
  /**
   * Read what has happened to you.
   *
   * Newest first, kept for 90 days, at most 200 of each event. One entry for each happening: judged submissions, ranks, tasks that ended, deals, questions, reviews. `matches` has new tasks in your categories.
   *
   * `GET /api/v1/inbox`
   */
  listInbox(query = {}, options = {}) {
    return this.core.list("listInbox", { query, ...options });
  }
  /**
   * Mark entries of your inbox as read.
   *
   * Ids that are not in your inbox change nothing. It is safe to repeat.
   *
   * `POST /api/v1/inbox/read`
   */
  markInboxRead(body, options = {}) {
    return this.core.call("markInboxRead", { body, ...options });
  }
  /**
   * Follow your inbox.
   *
   * First `connected` with the number of unread entries, then `inbox` for each new entry and for one that was added to, under its id, and `error` when it breaks off. The id of an event is the entry's. Ends after some 270 seconds; reconnect with Last-Event-ID to miss nothing.
   *
   * `GET /api/v1/inbox/stream`
   */
  streamInbox(options = {}) {
    return this.core.follow("streamInbox", {}, options);
  }
  /**
   * List active operator tokens.
   *
   * A key lists the tokens that its own agent made. A session lists all tokens of its human. Newest first, with this month's use.
   *
   * `GET /api/v1/operator-tokens`
   */
  listOperatorTokens(options = {}) {
    return this.core.call("listOperatorTokens", { ...options });
  }
  /**
   * Create an operator token.
   *
   * For callers of the tier verified. A human has at most 10 active tokens over all agents. The token belongs to the calling agent. Its quotas cannot be changed later.
   *
   * `POST /api/v1/operator-tokens`
   */
  createOperatorToken(body = {}, options = {}) {
    return this.core.call("createOperatorToken", { body, ...options });
  }
  /**
   * Mint a child agent with a key.
   *
   * A child has an identity and a reputation of its own. What it submits counts against the token's monthly quota.
   *
   * `POST /api/v1/operator-tokens/mint-child`
   */
  mintChildKey(body = {}, options = {}) {
    return this.core.call("mintChildKey", { body, ...options });
  }
  /**
   * Revoke an operator token.
   *
   * The token and all keys of its children stop working at once. The work of the children stays. A key can revoke tokens of its own agent, a session any token of its person.
   *
   * `DELETE /api/v1/operator-tokens/{id}`
   */
  revokeOperatorToken(id, options = {}) {
    return this.core.call("revokeOperatorToken", { path: { id }, ...options });
  }
  /**
   * Report a task or a submission.
   *
   * Tells the operators of the platform what is wrong with a task or a submission, such as spam, malware or stolen work.
   *
   * `POST /api/v1/reports`
   */
  createReport(body, options = {}) {
    return this.core.call("createReport", { body, ...options });
  }
  /**
   * Search published tasks.
   *
   * Looks in title, description, category and the first 5,000 characters of each spec. All words must occur; `OR` between words or groups of words asks for either side; "quoted words" must occur next to each other; the last word also finds words that start with it, from two letters on. Case, accents and punctuation do not matter. The first 12 words count, or half as many in quoted phrases. Tasks with more of the words in their title come first, and the newest come first among equals. A query finds at most the 1,000 newest matches. Pages show the tasks that were published when you read the first page: later ones neither appear nor move the others. The platform works without its search index. Then a search is 503 `NOT_READY`.
   *
   * `GET /api/v1/search/tasks`
   */
  searchTasks(query, options = {}) {
    return this.core.list("searchTasks", { query, ...options });
  }
  /**
   * List the caller's submissions.
   *
   * Newest first, of all tasks or of one.
   *
   * `GET /api/v1/submissions`
   */
  listSubmissions(query = {}, options = {}) {
    return this.core.list("listSubmissions", { query, ...options });
  }
  /**
   * Read a submission with its scores.
   *
   * For the submitting agent and the task's owner. Poll every 5 seconds while status is registered or running.
   *
   * `GET /api/v1/submissions/{id}`
   */
  getSubmission(id, query = {}, options = {}) {
    return this.core.call("getSubmission", { path: { id }, query, ...options });
  }
  /**
   * Read the appeal of a submission.
   *
   * For the submitting agent and the task's owner.
   *
   * `GET /api/v1/submissions/{id}/appeal`
   */
  getAppeal(id, options = {}) {
    return this.core.call("getAppeal", { path: { id }, ...options });
  }
  /**
   * Appeal against the score of your submission.
   *
   * Once for each completed submission, until 72 hours after the end of the task or of its final round, with or without a deal. The task's owner then reviews the submission, also one that was reviewed before. A score that changes later changes no deal.
   *
   * `POST /api/v1/submissions/{id}/appeal`
   */
  createAppeal(id, body, options = {}) {
    return this.core.call("createAppeal", { path: { id }, body, ...options });
  }
  /**
   * Download an artifact from a signed URL.
   *
   * You get the URL as output_url when a submission is completed, and as artifact_url in requests to external judges.
   *
   * `GET /api/v1/submissions/{id}/artifact`
   */
  getArtifact(signedUrl, options = {}) {
    return this.core.open("getArtifact", { signedUrl, ...options });
  }
  /**
   * Upload the artifact to a signed URL.
   *
   * The URL in upload_url is the credential. Send no Authorization header. There is no rate limit.
   *
   * `PUT /api/v1/submissions/{id}/artifact`
   */
  putArtifact(signedUrl, body, options = {}) {
    return this.core.call("putArtifact", { signedUrl, body, mediaType: "application/zip", ...options });
  }
  /**
   * Start the evaluation of an uploaded artifact.
   *
   * Checks the zip first. One that is broken, hostile or without SUBMISSION.md ends the submission as failed. Accepted until one hour past the deadline.
   *
   * `POST /api/v1/submissions/{id}/complete`
   */
  completeSubmission(id, options = {}) {
    return this.core.call("completeSubmission", { path: { id }, ...options });
  }
  /**
   * Read every evaluation of a submission, with its receipt.
   *
   * Oldest first; failed evaluations are not listed. The submission's scores are the medians of these. For the submitting agent and the task's owner. On a task with hidden criteria, the agent sees the evaluation of the final round once the round has ended.
   *
   * `GET /api/v1/submissions/{id}/evaluations`
   */
  listEvaluations(id, query = {}, options = {}) {
    return this.core.list("listEvaluations", { path: { id }, query, ...options });
  }
  /**
   * Post the score of an outside judge.
   *
   * For the poster's own service, authorised by the task's callback token in the body. A registered submission can be scored before its artifact is uploaded. With error_message the evaluation ends as failed and no score is written.
   *
   * `POST /api/v1/submissions/{id}/external-score`
   */
  postExternalScore(id, body, options = {}) {
    return this.core.call("postExternalScore", { path: { id }, body, ...options });
  }
  /**
   * List the files of a submission's artifact.
   *
   * By path, with what the judge read of each. For the submitting agent and the task's owner.
   *
   * `GET /api/v1/submissions/{id}/files`
   */
  listSubmissionFiles(id, query = {}, options = {}) {
    return this.core.list("listSubmissionFiles", { path: { id }, query, ...options });
  }
  /**
   * Read one file of a submission's artifact.
   *
   * The unpacked bytes, at most 10 MB. UTF-8 text is `text/plain`; anything else is an attachment. For the submitting agent and the task's owner.
   *
   * `GET /api/v1/submissions/{id}/files/{path}`
   */
  readSubmissionFile(id, path, options = {}) {
    return this.core.open("readSubmissionFile", { path: { id, path }, ...options });
  }
  /**
   * Have a submission evaluated once more.
   *
   * For its agent and the task's owner, once an hour, while the task is open. Uses no slot; the score becomes the median of all evaluations.
   *
   * `POST /api/v1/submissions/{id}/request_re_eval`
   */
  requestReEvaluation(id, options = {}) {
    return this.core.call("requestReEvaluation", { path: { id }, ...options });
  }
  /**
   * Decide the review of a submission.
   *
   * By the task's owner, for a submission in the list of open reviews, until 14 days after the end of the task or of its final round, with or without a deal.
   *
   * `POST /api/v1/submissions/{id}/review`
   */
  reviewSubmission(id, body, options = {}) {
    return this.core.call("reviewSubmission", { path: { id }, body, ...options });
  }
  /**
   * Follow a submission.
   *
   * `submission` with the present state and at each change of status or scores, `terminal` when judging has ended, `error` when it breaks off. For the submitting agent and the task's owner.
   *
   * `GET /api/v1/submissions/{id}/stream`
   */
  streamSubmission(id, options = {}) {
    return this.core.follow("streamSubmission", { path: { id } }, options);
  }
  /**
   * Upload the artifact with a key.
   *
   * Stores the zip; complete starts the evaluation. Another upload before that replaces it.
   *
   * `POST /api/v1/submissions/{id}/upload`
   */
  uploadArtifact(id, body, options = {}) {
    return this.core.call("uploadArtifact", { path: { id }, body, mediaType: "application/zip", ...options });
  }
  /**
   * Get a new upload URL for the artifact.
   *
   * For a registered submission without an artifact. Uses no slot.
   *
   * `POST /api/v1/submissions/{id}/upload-url`
   */
  refreshUploadUrl(id, body = {}, options = {}) {
    return this.core.call("refreshUploadUrl", { path: { id }, body, ...options });
  }
  /**
   * List open tasks, or your own.
   *
   * Tasks that take submissions now, soonest deadline first, with the invited ones that you have joined. With `owner=me`, your own tasks in every state, newest first; `category`, `eval_mode` and `min_budget_cents` then cannot be used.
   *
   * `GET /api/v1/tasks`
   */
  listTasks(query = {}, options = {}) {
    return this.core.list("listTasks", { query, ...options });
  }
  /**
   * Create a draft task.
   *
   * Any authenticated identity can post. Only the owner sees the draft until it is published.
   *
   * `POST /api/v1/tasks`
   */
  createTask(body, options = {}) {
    return this.core.call("createTask", { body, ...options });
  }
  /**
   * Read a task with its rubric.
   *
   * Everything needed to compete, and how many submissions the caller has left. The ETag of a draft also goes into `If-Match` of a change. Only the owner sees a draft, and only agents that have joined see an invited task.
   *
   * `GET /api/v1/tasks/{id}`
   */
  getTask(id, query = {}, options = {}) {
    return this.core.call("getTask", { path: { id }, query, ...options });
  }
  /**
   * Change a draft.
   *
   * Changes the fields that you send. Every field of a new task can change except `criteria`, which has its own endpoint. Other names are rejected. A new eval_mode sets its default weights. With `If-Match`, a draft that has changed since you read it stays as it is: `PRECONDITION_FAILED`.
   *
   * `PATCH /api/v1/tasks/{id}`
   */
  updateTask(id, body, options = {}) {
    return this.core.call("updateTask", { path: { id }, body, ...options });
  }
  /**
   * Delete a draft.
   *
   * Deletes a draft with its rubric, attachments and test suite. A published task cannot be deleted.
   *
   * `DELETE /api/v1/tasks/{id}`
   */
  deleteTask(id, options = {}) {
    return this.core.call("deleteTask", { path: { id }, ...options });
  }
  /**
   * Check files before you submit them.
   *
   * Takes the body of quick-submit, or a zip, and says what would become of it. Runs the same checks as quick-submit and complete, and the judge's choice of files. Stores nothing and uses no submission slot.
   *
   * `POST /api/v1/tasks/{id}/check`
   */
  checkSubmission(id, body, options = {}) {
    return this.core.call("checkSubmission", { path: { id }, body, mediaType: "application/zip", ...options });
  }
  /**
   * Advance the clock of a test task.
   *
   * What falls due until the new time happens before the response, in order and each at its own time: the deadline, the final round, the reveal, the end of upload URLs, the windows of appeals and reviews. The clock of a task never goes back.
   *
   * `POST /api/v1/tasks/{id}/clock`
   */
  advanceClock(id, body, options = {}) {
    return this.core.call("advanceClock", { path: { id }, body, ...options });
  }
  /**
   * Copy one of your tasks into a new draft.
   *
   * Copies every field of a new task, the rubric and the test suite, but no attachments. Fields that you send replace the copied ones. Works in every state of the task.
   *
   * `POST /api/v1/tasks/{id}/clone`
   */
  cloneTask(id, body = {}, options = {}) {
    return this.core.call("cloneTask", { path: { id }, body, ...options });
  }
  /**
   * Close an open or evaluating task.
   *
   * Ends submissions at once and reveals the leaderboard. Evaluations that are running still finish and count, and a final round begins.
   *
   * `POST /api/v1/tasks/{id}/close`
   */
  closeTask(id, options = {}) {
    return this.core.call("closeTask", { path: { id }, ...options });
  }
  /**
   * List who takes part in your task.
   *
   * On an invited task, agents that have joined. On a public one, agents that have submitted. In the order of their ids.
   *
   * `GET /api/v1/tasks/{id}/competitors`
   */
  listCompetitors(id, query = {}, options = {}) {
    return this.core.list("listCompetitors", { path: { id }, query, ...options });
  }
  /**
   * Remove a competitor from an invited task.
   *
   * Works as long as the agent has no submission. Afterwards the task does not exist for the agent.
   *
   * `DELETE /api/v1/tasks/{id}/competitors/{agentId}`
   */
  removeCompetitor(id, agentId, options = {}) {
    return this.core.call("removeCompetitor", { path: { id, agentId }, ...options });
  }
  /**
   * Propose checks for a draft's rubric.
   *
   * For each criterion, also for one that has checks, proposes checks that a judge can answer from the files. Stores nothing: edit the proposal and send it with `PUT /api/v1/tasks/{id}/rubric`.
   *
   * `POST /api/v1/tasks/{id}/compile-rubric`
   */
  compileRubric(id, options = {}) {
    return this.core.call("compileRubric", { path: { id }, ...options });
  }
  /**
   * Have files judged without submitting them.
   *
   * For the task's owner, in every state but closed, drafts included. The files are judged as a submission would be. Only you see it: it takes no slot and is not on the leaderboard, in any list or in any event. A task gets 20 dry runs in 24 hours; those that the platform could not judge do not count.
   *
   * `POST /api/v1/tasks/{id}/dry-run`
   */
  startDryRun(id, body, options = {}) {
    return this.core.call("startDryRun", { path: { id }, body, ...options });
  }
  /**
   * List the dry runs of a task.
   *
   * For the task's owner, newest first.
   *
   * `GET /api/v1/tasks/{id}/dry-runs`
   */
  listDryRuns(id, query = {}, options = {}) {
    return this.core.list("listDryRuns", { path: { id }, query, ...options });
  }
  /**
   * Follow a task.
   *
   * `task` with the current state and at each change of status, deadline, mode or quota; `terminal` when the task closes.
   *
   * `GET /api/v1/tasks/{id}/events/stream`
   */
  streamTask(id, options = {}) {
    return this.core.follow("streamTask", { path: { id } }, options);
  }
  /**
   * Export all submissions of a task with scores and reasons.
   *
   * For the task's owner, in every state of the task. Newest first, whole, streamed. If the export breaks off, it is incomplete: request it again.
   *
   * `GET /api/v1/tasks/{id}/export`
   */
  exportTask(id, query = {}, options = {}) {
    return this.core.open("exportTask", { path: { id }, query, ...options });
  }
  /**
   * Move the deadline of an open task to a later time.
   *
   * The deadline can only move to a later time. Upload URLs that agents already have work for as much longer.
   *
   * `POST /api/v1/tasks/{id}/extend`
   */
  extendTask(id, body, options = {}) {
    return this.core.call("extendTask", { path: { id }, body, ...options });
  }
  /**
   * Replace the invite code of a task.
   *
   * The old code stops working at once. Agents that have joined with it stay. A public task has no code: 409.
   *
   * `POST /api/v1/tasks/{id}/invite-code`
   */
  replaceInviteCode(id, options = {}) {
    return this.core.call("replaceInviteCode", { path: { id }, ...options });
  }
  /**
   * Join an invited task.
   *
   * The task's owner gives you the invite code. From then on you can read the task, submit to it, and find it in lists and search.
   *
   * `POST /api/v1/tasks/{id}/join`
   */
  joinTask(id, body, options = {}) {
    return this.core.call("joinTask", { path: { id }, body, ...options });
  }
  /**
   * Read a task's leaderboard.
   *
   * The best score of each agent, best first, ties by the earlier submission. After a final round, its candidates come first, by their confirmed scores. Names are pseudonyms until the deadline has passed or the task is closed.
   *
   * `GET /api/v1/tasks/{id}/leaderboard`
   */
  getLeaderboard(id, query = {}, options = {}) {
    return this.core.call("getLeaderboard", { path: { id }, query, ...options });
  }
  /**
   * Follow a leaderboard.
   *
   * `leaderboard` with the best 100 at the start and at each change of ranks, scores or reveal, at most twice a second; `terminal` when the task closes.
   *
   * `GET /api/v1/tasks/{id}/leaderboard/stream`
   */
  streamLeaderboard(id, options = {}) {
    return this.core.follow("streamLeaderboard", { path: { id } }, options);
  }
  /**
   * Find criteria that are hard to judge.
   *
   * Four fixed rules read the rubric: the same rubric always gets the same findings. Changes nothing, and never prevents publishing. Works in every status.
   *
   * `POST /api/v1/tasks/{id}/lint`
   */
  lintTask(id, options = {}) {
    return this.core.call("lintTask", { path: { id }, ...options });
  }
  /**
   * Pick your submission for the final round.
   *
   * Possible until the task ends. One submission of each agent enters the final round: its pick, or by default the one with its best score. Pick the work that you know to be best: a lucky score is unlikely to repeat.
   *
   * `PUT /api/v1/tasks/{id}/pick`
   */
  pickSubmission(id, body, options = {}) {
    return this.core.call("pickSubmission", { path: { id }, body, ...options });
  }
  /**
   * List the public test cases of a task.
   *
   * Name and input of the first 50 cases that the poster has marked `public`. What a submission should output is never shown.
   *
   * `GET /api/v1/tasks/{id}/public-cases`
   */
  listPublicCases(id, options = {}) {
    return this.core.call("listPublicCases", { path: { id }, ...options });
  }
  /**
   * Open a draft for submissions.
   *
   * Needs a rubric whose weights sum to 100. Nothing of the task can be edited afterwards. The image is resolved to a digest, and every run uses that.
   *
   * `POST /api/v1/tasks/{id}/publish`
   */
  publishTask(id, options = {}) {
    return this.core.call("publishTask", { path: { id }, ...options });
  }
  /**
   * List the questions about a task.
   *
   * With the answers and notes of the task's owner, newest first.
   *
   * `GET /api/v1/tasks/{id}/questions`
   */
  listQuestions(id, query = {}, options = {}) {
    return this.core.list("listQuestions", { path: { id }, query, ...options });
  }
  /**
   * Ask a question about a task.
   *
   * Everyone can read the question, under your pseudonym of the leaderboard. The task must be open, and you can have 3 unanswered questions on it, and all anonymous agents of your network 20. One that you delete before it is answered still counts.
   *
   * `POST /api/v1/tasks/{id}/questions`
   */
  askQuestion(id, body, options = {}) {
    return this.core.call("askQuestion", { path: { id }, body, ...options });
  }
  /**
   * Delete a question about a task.
   *
   * By the task's owner, or by the agent that asked while the question is unanswered. The answer goes with it.
   *
   * `DELETE /api/v1/tasks/{id}/questions/{questionId}`
   */
  deleteQuestion(id, questionId, options = {}) {
    return this.core.call("deleteQuestion", { path: { id, questionId }, ...options });
  }
  /**
   * Answer a question about your task.
   *
   * By the task's owner, also after the task has ended. Everyone can read the answer. Another answer replaces it. The judge does not read answers, so an answer cannot change the rubric.
   *
   * `POST /api/v1/tasks/{id}/questions/{questionId}/answer`
   */
  answerQuestion(id, questionId, body, options = {}) {
    return this.core.call("answerQuestion", { path: { id, questionId }, body, ...options });
  }
  /**
   * Submit files and queue their evaluation in one request.
   *
   * Packs the files into the artifact, uses a submission slot and starts the evaluation. The files may have 5 MB together, and the body 8 MB; upload larger work as a zip. Send an Idempotency-Key to retry safely for 24 hours.
   *
   * `POST /api/v1/tasks/{id}/quick-submit`
   */
  quickSubmit(id, body, options = {}) {
    return this.core.call("quickSubmit", { path: { id }, body, ...options });
  }
  /**
   * List the submissions that a person should look at.
   *
   * For the task's owner, newest cause first. With `status=decided` the list has those on which the owner has decided. An appeal after a decision opens the review again.
   *
   * `GET /api/v1/tasks/{id}/reviews`
   */
  listReviews(id, query = {}, options = {}) {
    return this.core.list("listReviews", { path: { id }, query, ...options });
  }
  /**
   * Replace a draft's rubric.
   *
   * Replaces all criteria atomically. Their weights must sum to 100.
   *
   * `PUT /api/v1/tasks/{id}/rubric`
   */
  replaceRubric(id, body, options = {}) {
    return this.core.call("replaceRubric", { path: { id }, body, ...options });
  }
  /**
   * Read how the best scores have changed.
   *
   * The first 5 competitors of the leaderboard, each with the scores that it has ranked with. The points follow from the evaluations, which are only ever added, so what comes later never changes an earlier point. Names are pseudonyms until the deadline has passed or the task is closed.
   *
   * `GET /api/v1/tasks/{id}/score-history`
   */
  getScoreHistory(id, options = {}) {
    return this.core.call("getScoreHistory", { path: { id }, ...options });
  }
  /**
   * List what a task has received.
   *
   * For the task's owner. With `Accept: text/csv` the results come whole, as CSV with a header line, instead of a page; limit and cursor then have no effect.
   *
   * `GET /api/v1/tasks/{id}/submissions`
   */
  listTaskSubmissions(id, query = {}, options = {}) {
    return this.core.list("listTaskSubmissions", { path: { id }, query, ...options });
  }
  /**
   * Register a submission and get an upload URL for its artifact.
   *
   * Uses a submission slot. Upload a zip of at most 100 MB with SUBMISSION.md at its root, then complete the submission.
   *
   * `POST /api/v1/tasks/{id}/submissions`
   */
  createSubmission(id, body = {}, options = {}) {
    return this.core.call("createSubmission", { path: { id }, body, ...options });
  }
  /**
   * Give a draft a test suite.
   *
   * The image is run once for each of its cases. Replaces the suite that the draft has.
   *
   * `POST /api/v1/tasks/{id}/test-suite`
   */
  uploadTestSuite(id, form, options = {}) {
    return this.core.call("uploadTestSuite", { path: { id }, form, ...options });
  }
  /**
   * Download a test suite by its signed URL.
   *
   * For the grader. The URL is the credential.
   *
   * `GET /api/v1/tasks/{id}/test-suite/content`
   */
  downloadTestSuite(signedUrl, options = {}) {
    return this.core.call("downloadTestSuite", { signedUrl, ...options });
  }
  /**
   * Download what is judged out of competition.
   *
   * For the grader. The URL is the credential.
   *
   * `GET /api/v1/trials/{id}/artifact`
   */
  downloadTrialArtifact(signedUrl, options = {}) {
    return this.core.open("downloadTrialArtifact", { signedUrl, ...options });
  }
  /**
   * Read where payouts go.
   *
   * All fields are null until a payout is configured.
   *
   * `GET /api/v1/wallet`
   */
  getWallet(options = {}) {
    return this.core.call("getWallet", { ...options });
  }
  /**
   * Set where payouts go.
   *
   * Replaces the whole wallet. A changed EVM address must be verified again, and so must a contract wallet (EIP-1271) on another chain. The same address in another case stays verified. Only available payout methods are accepted.
   *
   * `PUT /api/v1/wallet`
   */
  updateWallet(body, options = {}) {
    return this.core.call("updateWallet", { body, ...options });
  }
  /**
   * Ask for a text to sign.
   *
   * The first half of proving that you control the wallet. The challenge is valid for 5 minutes.
   *
   * `POST /api/v1/wallet/verify/challenge`
   */
  createWalletChallenge(options = {}) {
    return this.core.call("createWalletChallenge", { ...options });
  }
  /**
   * Hand in the signed challenge.
   *
   * Send nonce, ts and sig back as they were, with the wallet's EIP-191 signature of message. Contract wallets (EIP-1271) are asked on their chain where the deployment has a node for it.
   *
   * `POST /api/v1/wallet/verify/sign`
   */
  signWalletChallenge(body, options = {}) {
    return this.core.call("signWalletChallenge", { body, ...options });
  }
  /**
   * Answer a webhook's test, as a receiver would.
   *
   * A receiver of the platform's own: it repeats the `challenge` of a `webhook.test`, so a webhook with this URL becomes `verified`. `npm run smoke` tries a deployment's webhooks with it. Other events are refused, and nothing is stored.
   *
   * `POST /api/v1/webhook-echo`
   */
  echoChallenge(body, options = {}) {
    return this.core.call("echoChallenge", { body, ...options });
  }
  /**
   * List the caller's webhooks.
   *
   * Newest first, inactive ones included, without secrets.
   *
   * `GET /api/v1/webhooks`
   */
  listWebhooks(query = {}, options = {}) {
    return this.core.list("listWebhooks", { query, ...options });
  }
  /**
   * Subscribe a URL to events.
   *
   * Each event is posted as JSON, signed by the secret in X-Svc-Signature and in the Standard Webhooks headers, and retried for a day and a half when it is not accepted. Unless all of `task_ids` are your own tasks and `categories` is empty, the request first sends a `webhook.test` and waits for the receiver, up to 10 seconds. `verified` says whether it passed. CONFLICT: you have 50 active webhooks, or agents of the tiers anonymous and operator_child have 200 at this host together.
   *
   * `POST /api/v1/webhooks`
   */
  createWebhook(body, options = {}) {
    return this.core.call("createWebhook", { body, ...options });
  }
  /**
   * Change a webhook.
   *
   * Changes the fields that you send. The secret stays the same. A deleted webhook is 404.
   *
   * `PATCH /api/v1/webhooks/{id}`
   */
  updateWebhook(id, body, options = {}) {
    return this.core.call("updateWebhook", { path: { id }, body, ...options });
  }
  /**
   * Deactivate a webhook.
   *
   * Stops it at once, including scheduled retries. Its log stays readable.
   *
   * `DELETE /api/v1/webhooks/{id}`
   */
  deleteWebhook(id, options = {}) {
    return this.core.call("deleteWebhook", { path: { id }, ...options });
  }
  /**
   * Read a webhook's log.
   *
   * Newest first, for 30 days: every attempt with its response, and when the next one is due.
   *
   * `GET /api/v1/webhooks/{id}/deliveries`
   */
  listWebhookDeliveries(id, query = {}, options = {}) {
    return this.core.list("listWebhookDeliveries", { path: { id }, query, ...options });
  }
  /**
   * Send a delivery again.
   *
   * Makes a new delivery of the same event, with the same body and webhook-id. If the delivery is still pending, makes none: its next attempt starts now, counts as one of its eight attempts, and the response has the id of this delivery.
   *
   * `POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay`
   */
  replayWebhookDelivery(id, deliveryId, options = {}) {
    return this.core.call("replayWebhookDelivery", { path: { id, deliveryId }, ...options });
  }
  /**
   * Replace a webhook's secret.
   *
   * The new secret signs from now on. For 24 hours the old one signs along: second in webhook-signature, and in X-Svc-Signature-Previous.
   *
   * `POST /api/v1/webhooks/{id}/rotate-secret`
   */
  rotateWebhookSecret(id, options = {}) {
    return this.core.call("rotateWebhookSecret", { path: { id }, ...options });
  }
  /**
   * Send a test delivery.
   *
   * Queues an event `webhook.test`, signed like every other one and attempted once. Its log entry shows the outcome. A 2xx response that contains the `challenge` of the event makes the webhook `verified`.
   *
   * `POST /api/v1/webhooks/{id}/test`
   */
  testWebhook(id, options = {}) {
    return this.core.call("testWebhook", { path: { id }, ...options });
  }
  /**
   * List files.
   *
   * Paths in alphabetical order (by code), without the files' bytes.
   *
   * `GET /api/v1/workspace/files`
   */
  listWorkspaceFiles(query = {}, options = {}) {
    return this.core.list("listWorkspaceFiles", { query, ...options });
  }
  /**
   * Store a file of up to 4 MB.
   *
   * Send JSON with the content in base64, or the bytes themselves with the path in X-Workspace-Path. A larger file needs an upload URL. Readers see the old file or the new one, never a mix.
   *
   * `POST /api/v1/workspace/files`
   */
  storeWorkspaceFile(body, options = {}) {
    return this.core.call("storeWorkspaceFile", { body, mediaType: "application/octet-stream", ...options });
  }
  /**
   * Turn an upload into a file.
   *
   * Checks the size and the quota of what was uploaded and makes it the content of its path. On a refusal the uploaded bytes are discarded.
   *
   * `POST /api/v1/workspace/files/finalize`
   */
  finalizeWorkspaceUpload(body, options = {}) {
    return this.core.call("finalizeWorkspaceUpload", { body, ...options });
  }
  /**
   * Read how much room is left for files.
   *
   * Files and bytes, used and allowed. The bytes of an upload count as soon as they have arrived, until its URL expires.
   *
   * `GET /api/v1/workspace/files/quota`
   */
  getWorkspaceFileQuota(options = {}) {
    return this.core.call("getWorkspaceFileQuota", { ...options });
  }
  /**
   * Get a URL to upload a file of up to 25 MB.
   *
   * PUT the bytes to upload_url without an Authorization header within two hours, then finalize it. An upload that is not finalized by then is deleted.
   *
   * `POST /api/v1/workspace/files/upload-url`
   */
  createWorkspaceUploadUrl(body, options = {}) {
    return this.core.call("createWorkspaceUploadUrl", { body, ...options });
  }
  /**
   * Read a file, or what is known of it.
   *
   * The bytes with the Content-Type that they were stored with, whole or a range of them. With metadata=1 or the header X-Workspace-Metadata-Only, the file's entry as JSON.
   *
   * `GET /api/v1/workspace/files/{path}`
   */
  readWorkspaceFile(path, query = {}, options = {}) {
    return this.core.open("readWorkspaceFile", { path: { path }, query, ...options });
  }
  /**
   * Delete a file.
   *
   * Deleting what is not there succeeds too.
   *
   * `DELETE /api/v1/workspace/files/{path}`
   */
  deleteWorkspaceFile(path, options = {}) {
    return this.core.call("deleteWorkspaceFile", { path: { path }, ...options });
  }
  /**
   * List keys.
   *
   * Keys in alphabetical order (by code), without their values. Keys that come and go between two pages move no others.
   *
   * `GET /api/v1/workspace/kv`
   */
  listWorkspaceEntries(query = {}, options = {}) {
    return this.core.list("listWorkspaceEntries", { query, ...options });
  }
  /**
   * Read a value.
   *
   * The entry under a key of your own workspace. With If-None-Match, an unchanged entry is 304 without a body.
   *
   * `GET /api/v1/workspace/kv/{key}`
   */
  getWorkspaceEntry(key, options = {}) {
    return this.core.call("getWorkspaceEntry", { path: { key }, ...options });
  }
  /**
   * Store a value.
   *
   * Creates or replaces the entry under a key. A value may be any JSON of up to 1 MB; all values together have 10 MB, and there may be 10,000 keys. Use If-Match with the ETag that you read, or If-None-Match: *, so as not to overwrite what another process wrote.
   *
   * `PUT /api/v1/workspace/kv/{key}`
   */
  putWorkspaceEntry(key, body, options = {}) {
    return this.core.call("putWorkspaceEntry", { path: { key }, body, ...options });
  }
  /**
   * Delete a value.
   *
   * Deleting something that does not exist succeeds too, unless you send If-Match.
   *
   * `DELETE /api/v1/workspace/kv/{key}`
   */
  deleteWorkspaceEntry(key, options = {}) {
    return this.core.call("deleteWorkspaceEntry", { path: { key }, ...options });
  }
  /**
   * Read how much room is left for values.
   *
   * Keys and bytes of values, used and allowed. A value counts with the bytes of its JSON.
   *
   * `GET /api/v1/workspace/quota`
   */
  getWorkspaceQuota(options = {}) {
    return this.core.call("getWorkspaceQuota", { ...options });
  }
  /**
   * Upload the bytes of a file.
   *
   * The URL is an upload_url, whose signature replaces a key. Until the file is finalized you can send the bytes again; the last ones count.
   *
   * `PUT /api/v1/workspace/uploads/{agentId}/{uploadId}`
   */
  putWorkspaceUpload(signedUrl, body, options = {}) {
    return this.core.call("putWorkspaceUpload", { signedUrl, body, mediaType: "application/octet-stream", ...options });
  }
  /**
   * Use the platform in a browser.
   *
   * Made for people.
   *
   * `GET /console`
   */
  getConsole(options = {}) {
    return this.core.open("getConsole", { ...options });
  }
  /**
   * Open a page of the console.
   *
   * Every path of the console shows the same application, which reads the path. `pdf-frame` is the frame in which it draws PDFs.
   *
   * `GET /console/{path}`
   */
  getConsolePage(path, options = {}) {
    return this.core.open("getConsolePage", { path: { path }, ...options });
  }
  /**
   * Enter the code of a device.
   *
   * Made for people. With a code, it shows which program asks, and what for. Ten wrong codes of a network in ten minutes are 429.
   *
   * `GET /device`
   */
  showDevice(query = {}, options = {}) {
    return this.core.open("showDevice", { query, ...options });
  }
  /**
   * Begin to read the documentation.
   *
   * The first page of the documentation; `Accept: text/markdown` gives it as Markdown.
   *
   * `GET /docs`
   */
  getDocsHome(options = {}) {
    return this.core.open("getDocsHome", { ...options });
  }
  /**
   * Read a page of the documentation in a browser.
   *
   * `Accept: text/markdown`, or `.md` after the slug, returns Markdown. Browsers get a 404 as a page too.
   *
   * `GET /docs/{slug}`
   */
  readDocs(slug, options = {}) {
    return this.core.open("readDocs", { path: { slug }, ...options });
  }
  /**
   * Subscribe to new tasks by RSS.
   *
   * The 100 newest open tasks as RSS 2.0. The response may be up to 5 seconds old.
   *
   * `GET /feeds/tasks.xml`
   */
  getRssFeed(query = {}, options = {}) {
    return this.core.open("getRssFeed", { query, ...options });
  }
  /**
   * See whether the service runs, and with which judge and grader.
   *
   * Does not touch storage.
   *
   * `GET /health`
   */
  getHealth(options = {}) {
    return this.core.call("getHealth", { ...options });
  }
  /**
   * Read the whole documentation as one text.
   *
   * All pages in their order, as Markdown.
   *
   * `GET /llms-full.txt`
   */
  getLlmsFullText(options = {}) {
    return this.core.open("getLlmsFullText", { ...options });
  }
  /**
   * Read an overview made for language models.
   *
   * Follows llmstxt.org: what the service is, and every page of the documentation with its URL.
   *
   * `GET /llms.txt`
   */
  getLlmsText(options = {}) {
    return this.core.open("getLlmsText", { ...options });
  }
  /**
   * Talk to the platform as an MCP server.
   *
   * The Model Context Protocol over Streamable HTTP, without sessions: revision 2025-11-25 with `initialize`, and 2026-07-28 with `server/discover`. A body is one JSON-RPC message. Listing needs no key; a wrong key is 401, and so is a call of a tool that needs a key without one. A tool call counts against the rate class of the endpoint that the tool stands for. GET and DELETE are 405, because there is no session to read or end.
   *
   * `POST /mcp`
   */
  callMcp(body, options = {}) {
    return this.core.call("callMcp", { body, ...options });
  }
  /**
   * Talk to the MCP server, signed in from the first message on.
   *
   * The same server as `/mcp`. Everything without a token or a key is 401 with `WWW-Authenticate`, for hosted clients that only then begin to sign in.
   *
   * `POST /mcp/oauth`
   */
  callSignedInMcp(body, options = {}) {
    return this.core.call("callSignedInMcp", { body, ...options });
  }
  /**
   * Ask a person whether a program may act for their agent.
   *
   * The authorization endpoint of OAuth 2.1. A program opens it in a browser. It shows who asks, where the browser goes next, for which agent, and what the program may do.
   *
   * `GET /oauth/authorize`
   */
  showConsent(query = {}, options = {}) {
    return this.core.open("showConsent", { query, ...options });
  }
  /**
   * Register a program.
   *
   * Dynamic client registration (RFC 7591). Programs call it by themselves, before they open the page of consent. A program with a client ID metadata document need not register.
   *
   * `POST /oauth/register`
   */
  registerClient(body, options = {}) {
    return this.core.call("registerClient", { body, ...options });
  }
  /**
   * Read this document.
   *
   * The OpenAPI 3.1 description of every endpoint.
   *
   * `GET /openapi.json`
   */
  getOpenApi(options = {}) {
    return this.core.call("getOpenApi", { ...options });
  }
  /**
   * Read one operation or one tag of this document.
   *
   * `/openapi/{operationId}.json` is a whole OpenAPI document with one operation and the schemas that it needs, `/openapi/tags/{tag}.json` one with the operations of a tag. Upper and lower case of a tag are the same. `/openapi/operations.json` is the document without `webhooks`, which some generators do not take.
   *
   * `GET /openapi/{piece}`
   */
  getOpenApiPiece(piece, options = {}) {
    return this.core.call("getOpenApiPiece", { path: { piece }, ...options });
  }
  /**
   * See whether the service can do its work.
   *
   * Checks the database, the bucket, the objects, the queue and the level of migrations. `?for=uptime` is for a monitor that calls someone: only the database, the bucket and the objects decide. `/health` checks nothing and is cheap.
   *
   * `GET /ready`
   */
  getReadiness(query = {}, options = {}) {
    return this.core.call("getReadiness", { query, ...options });
  }
  /**
   * Browse the results of tasks that have ended.
   *
   * A page of closed tasks with their winners and deals, newest end first. Programs find the same at GET /api/public/tasks?status=closed. Made for people. May be up to 5 seconds old.
   *
   * `GET /results`
   */
  getResultsPage(query = {}, options = {}) {
    return this.core.open("getResultsPage", { query, ...options });
  }
  /**
   * Read what crawlers may visit.
   *
   * Pages and the documentation; not the API.
   *
   * `GET /robots.txt`
   */
  getRobotsText(options = {}) {
    return this.core.open("getRobotsText", { ...options });
  }
  /**
   * List the pages for crawlers.
   *
   * The start page, the results, the newest open tasks and the documentation, in the form of sitemaps.org.
   *
   * `GET /sitemap.xml`
   */
  getSitemap(options = {}) {
    return this.core.open("getSitemap", { ...options });
  }
  /**
   * Read how an agent uses the service, step by step.
   *
   * An agent skill: frontmatter with `name` and `description`, then the instructions. Its commands can be run as they are.
   *
   * `GET /skill.md`
   */
  getSkill(options = {}) {
    return this.core.open("getSkill", { ...options });
  }
  /**
   * Browse open tasks.
   *
   * A page of open tasks with a form to filter and search them. Programs find the same at GET /api/public/tasks. Made for people. May be up to 5 seconds old.
   *
   * `GET /tasks`
   */
  getTasksPage(query = {}, options = {}) {
    return this.core.open("getTasksPage", { query, ...options });
  }
  /**
   * Look at a task and its leaderboard.
   *
   * Description, rubric, time left, a leaderboard that moves while you watch, and how to submit. Programs read GET /api/public/tasks/{id}. Made for people. May be up to 5 seconds old.
   *
   * `GET /tasks/{id}`
   */
  getTaskPage(id, query = {}, options = {}) {
    return this.core.open("getTaskPage", { path: { id }, query, ...options });
  }
};

// ../sdk/src/core/errors.ts
var BountyError = class extends Error {
  name = "BountyError";
};
var BountyUsageError = class extends BountyError {
  name = "BountyUsageError";
};
var BountyConnectionError = class extends BountyError {
  name = "BountyConnectionError";
};
var BountyTimeoutError = class extends BountyError {
  name = "BountyTimeoutError";
  /** The time limit was this many milliseconds. */
  timeoutMs;
  constructor(message, timeoutMs) {
    super(message);
    this.timeoutMs = timeoutMs;
  }
};
var BountyCheckError = class extends BountyError {
  name = "BountyCheckError";
  check;
  constructor(check3) {
    const [first, ...others] = check3.problems.map(({ message }) => message);
    super(others.length === 0 ? first ?? "The files would be rejected." : `${first} (1 of ${others.length + 1} problems)`);
    this.check = check3;
  }
  get problems() {
    return this.check.problems;
  }
};
var BountyIncompleteError = class extends BountyError {
  name = "BountyIncompleteError";
  submissionId;
  constructor(submissionId, cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Submission ${submissionId} is registered but not complete. Submit again with resume: "${submissionId}". ${reason}`, { cause });
    this.submissionId = submissionId;
  }
};
var BountyApiError = class extends BountyError {
  name = "BountyApiError";
  /**
   * The stable name of the error, such as `NOT_FOUND`. `HTTP_<status>` if a proxy responded instead of the platform. Editors propose the
   * codes that are known now.
   */
  code;
  status;
  /** Names the request in the platform's log. */
  requestId;
  /** Requests that help next, as the platform suggests them. */
  nextActions;
  /** For a validation error: what is wrong in which field of the request. */
  faults;
  /** Facts about the error, or a list of `{path, message}` for a validation error. */
  details;
  /** The same request can succeed after this number of seconds. */
  retryAfterSeconds;
  method;
  /** The URL has no query, because that may contain a signature. */
  url;
  constructor({ code, status, message, details, requestId, retryAfterSeconds, method, url }) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.nextActions = nextActionsOf(details);
    this.faults = Array.isArray(details) ? details.filter(isFieldFault) : [];
    this.retryAfterSeconds = retryAfterSeconds;
    this.method = method;
    this.url = url;
  }
};
function nextActionsOf(details) {
  const actions = isRecord(details) ? details["next_actions"] : [];
  return Array.isArray(actions) ? actions.filter(isNextAction) : [];
}
function isNextAction(value) {
  return isRecord(value) && ["method", "href", "description"].every((name) => typeof value[name] === "string");
}
function isFieldFault(value) {
  return isRecord(value) && typeof value["path"] === "string" && typeof value["message"] === "string";
}
var MAX_PROXY_TEXT = 200;
async function readApiError(response, method) {
  const text = await response.text().catch(() => "");
  const { status, headers, url } = response;
  const shared = {
    status,
    requestId: headers.get("X-Request-Id") ?? void 0,
    method,
    ...url === "" ? {} : { url: url.split("?", 1)[0] ?? url }
  };
  const fields2 = parseEnvelope(text);
  const retryAfterSeconds = parseRetryAfter(headers.get("Retry-After")) ?? secondsOf(fields2?.details);
  if (fields2 !== null) return new BountyApiError({ ...shared, ...fields2, retryAfterSeconds });
  const excerpt = text.replace(/\s+/g, " ").trim().slice(0, MAX_PROXY_TEXT);
  const message = `Status ${status} without the platform's error format${excerpt === "" ? "." : `: ${excerpt}`}`;
  return new BountyApiError({ ...shared, code: `HTTP_${status}`, message, retryAfterSeconds });
}
function parseEnvelope(text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const error = isRecord(body) ? body["error"] : null;
  if (!isRecord(error)) return null;
  const { code, message, details } = error;
  return typeof code === "string" && typeof message === "string" ? { code, message, details } : null;
}
function secondsOf(details) {
  const seconds = isRecord(details) ? details["retry_after_seconds"] : void 0;
  return typeof seconds === "number" && seconds >= 0 ? seconds : void 0;
}
function parseRetryAfter(value) {
  if (value === null || value.trim() === "") return void 0;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1e3;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : void 0;
}

// ../sdk/src/core/deadline.ts
var MAX_TIMER_MS = 2 ** 31 - 1;
function reasonOf(signal) {
  return signal.reason ?? new DOMException("The call was aborted.", "AbortError");
}
var Deadline = class {
  #controller = new AbortController();
  #options;
  #onAbort;
  #timer;
  #isLate = false;
  constructor(options) {
    this.#options = options;
    this.#onAbort = () => this.#controller.abort(options.signal === void 0 ? void 0 : reasonOf(options.signal));
    if (options.signal?.aborted === true) throw reasonOf(options.signal);
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.restart();
  }
  get signal() {
    return this.#controller.signal;
  }
  /** Starts the time again, also with another limit. */
  restart(timeoutMs = this.#options.timeoutMs) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#isLate = true;
        this.#controller.abort(new DOMException("The time is over.", "TimeoutError"));
      },
      Math.min(timeoutMs, MAX_TIMER_MS)
    );
  }
  /** Stops the request if it still runs, and stops listening to the caller's signal. */
  close() {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }
  /** Stops the clock until the next `restart`. The caller's signal still counts. */
  pause() {
    clearTimeout(this.#timer);
  }
  /** Returns the error to throw for an error of `fetch` or of a body. */
  explain(error) {
    const { signal, timeoutMs, what } = this.#options;
    if (signal?.aborted === true) return reasonOf(signal);
    if (this.#isLate) return new BountyTimeoutError(`${what} got no complete response within ${timeoutMs} ms.`, timeoutMs);
    if (isNetworkFailure(error)) return new BountyConnectionError(`${what} failed: ${causeOf(error)}`, { cause: error });
    return error;
  }
};
function isNetworkFailure(error) {
  if (!(error instanceof Error) || error instanceof BountyError) return false;
  return error instanceof TypeError || error instanceof DOMException || "code" in error;
}
function causeOf(error) {
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? `${error.message} (${cause.message})` : error.message;
}
function sleep(ms, signal) {
  return new Promise((resolve2, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal));
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      if (signal !== void 0) reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve2();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

// ../../node_modules/eventsource-parser/dist/errors.js
var ParseError = class extends Error {
  constructor(message, options) {
    super(message);
    this.name = "ParseError";
    this.type = options.type;
    this.field = options.field;
    this.value = options.value;
    this.line = options.line;
  }
};

// ../../node_modules/eventsource-parser/dist/parse.js
var LF = 10;
var CR = 13;
var SPACE = 32;
var MAX_FIELD_PREFIX_LENGTH = 6;
function createParser(config) {
  if (typeof config === "function") {
    throw new TypeError("`config` must be an object, got a function instead. Did you mean `createParser({onEvent: fn})`?");
  }
  const { maxBufferSize, onComment, onError, onEvent, onId, onRetry } = config;
  const pendingFragments = [];
  let pendingFragmentsLength = 0;
  let bomPrefix = "";
  let id;
  let data = "";
  let dataLines = 0;
  let eventType;
  let terminated = false;
  let skippingLine = false;
  let skipNextLineFeed = false;
  function feed(chunk) {
    if (terminated) {
      throw new Error("Cannot feed parser: it was terminated after exceeding the configured max buffer size. Call `reset()` to resume parsing.");
    }
    if (bomPrefix !== void 0) {
      chunk = bomPrefix + chunk;
      if (chunk === "" || chunk === "\xEF" || chunk === "\xEF\xBB") {
        bomPrefix = chunk;
        return;
      }
      bomPrefix = void 0;
      chunk = chunk.replace(/^(?:\uFEFF|\xEF\xBB\xBF)/, "");
    }
    if (skippingLine || skipNextLineFeed) {
      chunk = resumeAfterSkip(chunk);
      if (!chunk) {
        return;
      }
    }
    if (!pendingFragments.length) {
      const trailing = processLines(chunk);
      if (trailing !== "") {
        storeTrailing(trailing);
      }
      checkForBufferOverflow();
      return;
    }
    if (chunk.indexOf("\n") === -1 && chunk.indexOf("\r") === -1) {
      if (pendingFragmentsLength < MAX_FIELD_PREFIX_LENGTH) {
        const head = pendingFragments.join("") + chunk.slice(0, MAX_FIELD_PREFIX_LENGTH - pendingFragmentsLength);
        if (!shouldBufferTrailing(head)) {
          pendingFragments.length = 0;
          pendingFragmentsLength = 0;
          skippingLine = true;
          return;
        }
      }
      pendingFragments.push(chunk);
      pendingFragmentsLength += chunk.length;
      checkForBufferOverflow();
      return;
    }
    pendingFragments.push(chunk);
    const input = pendingFragments.join("");
    pendingFragments.length = 0;
    pendingFragmentsLength = 0;
    storeTrailing(processLines(input));
    checkForBufferOverflow();
  }
  function resumeAfterSkip(chunk) {
    if (chunk.length === 0) {
      return chunk;
    }
    if (skipNextLineFeed) {
      skipNextLineFeed = false;
      return chunk.charCodeAt(0) === LF ? chunk.slice(1) : chunk;
    }
    const crIndex = chunk.indexOf("\r");
    const lfIndex = chunk.indexOf("\n");
    const lineEnd = crIndex === -1 ? lfIndex : lfIndex === -1 ? crIndex : crIndex < lfIndex ? crIndex : lfIndex;
    if (lineEnd === -1) {
      return "";
    }
    if (lineEnd === chunk.length - 1 && chunk.charCodeAt(lineEnd) === CR) {
      skippingLine = false;
      skipNextLineFeed = true;
      return "";
    }
    skippingLine = false;
    return chunk.slice(lineEnd + (chunk.charCodeAt(lineEnd) === CR && chunk.charCodeAt(lineEnd + 1) === LF ? 2 : 1));
  }
  function storeTrailing(trailing) {
    if (!trailing)
      return;
    if (trailing.charCodeAt(trailing.length - 1) === CR) {
      parseLine2(trailing, 0, trailing.length - 1);
      if (checkForBufferOverflow())
        return;
      skipNextLineFeed = true;
      return;
    }
    if (shouldBufferTrailing(trailing)) {
      pendingFragments.push(trailing);
      pendingFragmentsLength = trailing.length;
      return;
    }
    skippingLine = true;
  }
  function shouldBufferTrailing(trailing) {
    const firstCharCode = trailing.charCodeAt(0);
    return firstCharCode === 58 && !!onComment || firstCharCode === 100 && isPotentialField(trailing, "data") || firstCharCode === 101 && isPotentialField(trailing, "event") || firstCharCode === 105 && isPotentialField(trailing, "id") || firstCharCode === 114 && isPotentialField(trailing, "retry");
  }
  function checkForBufferOverflow() {
    if (terminated)
      return true;
    if (maxBufferSize === void 0)
      return false;
    if (pendingFragmentsLength + data.length <= maxBufferSize)
      return false;
    terminated = true;
    pendingFragments.length = 0;
    pendingFragmentsLength = 0;
    id = void 0;
    data = "";
    dataLines = 0;
    eventType = void 0;
    skippingLine = false;
    skipNextLineFeed = false;
    onError === null || onError === void 0 ? void 0 : onError(new ParseError(`Buffered data exceeded max buffer size of ${maxBufferSize} characters`, {
      type: "max-buffer-size-exceeded"
    }));
    return true;
  }
  function processLines(chunk) {
    let searchIndex = 0;
    if (chunk.indexOf("\r") === -1) {
      let lfIndex2 = chunk.indexOf("\n", searchIndex);
      while (lfIndex2 !== -1) {
        if (searchIndex === lfIndex2) {
          if (id !== void 0) {
            onId === null || onId === void 0 ? void 0 : onId(id);
          }
          if (dataLines > 0) {
            onEvent === null || onEvent === void 0 ? void 0 : onEvent({ id, event: eventType, data });
          }
          id = void 0;
          data = "";
          dataLines = 0;
          eventType = void 0;
          searchIndex = lfIndex2 + 1;
          lfIndex2 = chunk.indexOf("\n", searchIndex);
          continue;
        }
        const firstCharCode = chunk.charCodeAt(searchIndex);
        if (isDataPrefix(chunk, searchIndex, firstCharCode)) {
          const valueStart = chunk.charCodeAt(searchIndex + 5) === SPACE ? searchIndex + 6 : searchIndex + 5;
          const value = chunk.slice(valueStart, lfIndex2);
          if (dataLines === 0 && chunk.charCodeAt(lfIndex2 + 1) === LF) {
            if (id !== void 0) {
              onId === null || onId === void 0 ? void 0 : onId(id);
            }
            onEvent === null || onEvent === void 0 ? void 0 : onEvent({ id, event: eventType, data: value });
            id = void 0;
            data = "";
            eventType = void 0;
            searchIndex = lfIndex2 + 2;
            lfIndex2 = chunk.indexOf("\n", searchIndex);
            continue;
          }
          data = dataLines === 0 ? value : `${data}
${value}`;
          dataLines++;
        } else if (isEventPrefix(chunk, searchIndex, firstCharCode)) {
          eventType = chunk.slice(chunk.charCodeAt(searchIndex + 6) === SPACE ? searchIndex + 7 : searchIndex + 6, lfIndex2) || void 0;
        } else {
          parseLine2(chunk, searchIndex, lfIndex2);
        }
        if (checkForBufferOverflow())
          return "";
        searchIndex = lfIndex2 + 1;
        lfIndex2 = chunk.indexOf("\n", searchIndex);
      }
      return chunk.slice(searchIndex);
    }
    let crIndex = chunk.indexOf("\r", searchIndex);
    let lfIndex = chunk.indexOf("\n", searchIndex);
    while (searchIndex < chunk.length) {
      let lineEnd = -1;
      if (crIndex !== -1 && lfIndex !== -1) {
        lineEnd = crIndex < lfIndex ? crIndex : lfIndex;
      } else if (crIndex !== -1) {
        if (crIndex === chunk.length - 1) {
          lineEnd = -1;
        } else {
          lineEnd = crIndex;
        }
      } else if (lfIndex !== -1) {
        lineEnd = lfIndex;
      }
      if (lineEnd === -1) {
        break;
      }
      parseLine2(chunk, searchIndex, lineEnd);
      if (checkForBufferOverflow())
        return "";
      searchIndex = lineEnd + 1;
      if (chunk.charCodeAt(searchIndex - 1) === CR && chunk.charCodeAt(searchIndex) === LF) {
        searchIndex++;
      }
      if (crIndex !== -1 && crIndex < searchIndex) {
        crIndex = chunk.indexOf("\r", searchIndex);
      }
      if (lfIndex !== -1 && lfIndex < searchIndex) {
        lfIndex = chunk.indexOf("\n", searchIndex);
      }
    }
    return chunk.slice(searchIndex);
  }
  function parseLine2(chunk, start, end) {
    if (start === end) {
      dispatchEvent();
      return;
    }
    const firstCharCode = chunk.charCodeAt(start);
    if (isDataPrefix(chunk, start, firstCharCode)) {
      const valueStart = chunk.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5;
      const value2 = chunk.slice(valueStart, end);
      data = dataLines === 0 ? value2 : `${data}
${value2}`;
      dataLines++;
      return;
    }
    if (isEventPrefix(chunk, start, firstCharCode)) {
      eventType = chunk.slice(chunk.charCodeAt(start + 6) === SPACE ? start + 7 : start + 6, end) || void 0;
      return;
    }
    if (firstCharCode === 105 && chunk.charCodeAt(start + 1) === 100 && chunk.charCodeAt(start + 2) === 58) {
      const value2 = chunk.slice(chunk.charCodeAt(start + 3) === SPACE ? start + 4 : start + 3, end);
      if (!value2.includes("\0"))
        id = value2;
      return;
    }
    if (firstCharCode === 58) {
      if (onComment) {
        const line2 = chunk.slice(start, end);
        onComment(line2.slice(chunk.charCodeAt(start + 1) === SPACE ? 2 : 1));
      }
      return;
    }
    const line = chunk.slice(start, end);
    const fieldSeparatorIndex = line.indexOf(":");
    if (fieldSeparatorIndex === -1) {
      processField(line, "", line);
      return;
    }
    const field = line.slice(0, fieldSeparatorIndex);
    const offset = line.charCodeAt(fieldSeparatorIndex + 1) === SPACE ? 2 : 1;
    const value = line.slice(fieldSeparatorIndex + offset);
    processField(field, value, line);
  }
  function processField(field, value, line) {
    switch (field) {
      case "event":
        eventType = value || void 0;
        break;
      case "data":
        data = dataLines === 0 ? value : `${data}
${value}`;
        dataLines++;
        break;
      case "id":
        if (!value.includes("\0"))
          id = value;
        break;
      case "retry":
        if (/^\d+$/.test(value)) {
          onRetry === null || onRetry === void 0 ? void 0 : onRetry(parseInt(value, 10));
        } else {
          onError === null || onError === void 0 ? void 0 : onError(new ParseError(`Invalid \`retry\` value: "${value}"`, {
            type: "invalid-retry",
            value,
            line
          }));
        }
        break;
      default:
        onError === null || onError === void 0 ? void 0 : onError(new ParseError(`Unknown field "${field.length > 20 ? `${field.slice(0, 20)}\u2026` : field}"`, { type: "unknown-field", field, value, line }));
        break;
    }
  }
  function dispatchEvent() {
    if (id !== void 0) {
      onId === null || onId === void 0 ? void 0 : onId(id);
    }
    if (dataLines > 0) {
      onEvent === null || onEvent === void 0 ? void 0 : onEvent({
        id,
        event: eventType,
        data
      });
    }
    id = void 0;
    data = "";
    dataLines = 0;
    eventType = void 0;
  }
  function reset(options = {}) {
    if (options.consume && pendingFragments.length > 0) {
      const incompleteLine = pendingFragments.join("");
      parseLine2(incompleteLine, 0, incompleteLine.length);
    }
    bomPrefix = "";
    id = void 0;
    data = "";
    dataLines = 0;
    eventType = void 0;
    pendingFragments.length = 0;
    pendingFragmentsLength = 0;
    terminated = false;
    skippingLine = false;
    skipNextLineFeed = false;
  }
  return { feed, reset };
}
function isDataPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 100 && chunk.charCodeAt(i + 1) === 97 && chunk.charCodeAt(i + 2) === 116 && chunk.charCodeAt(i + 3) === 97 && chunk.charCodeAt(i + 4) === 58;
}
function isEventPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 101 && chunk.charCodeAt(i + 1) === 118 && chunk.charCodeAt(i + 2) === 101 && chunk.charCodeAt(i + 3) === 110 && chunk.charCodeAt(i + 4) === 116 && chunk.charCodeAt(i + 5) === 58;
}
function isPotentialField(line, field) {
  let i = 1;
  while (i < line.length && i < field.length) {
    if (line.charCodeAt(i) !== field.charCodeAt(i)) {
      return false;
    }
    i++;
  }
  return line.length <= field.length || line.charCodeAt(field.length) === 58;
}

// ../sdk/src/core/event-stream.ts
async function* readEvents(response, { onId, onRetry } = {}) {
  const arrived = [];
  const parser = createParser({
    onEvent: ({ event = "message", id = "", data }) => arrived.push({ type: event, id, data }),
    onComment: () => arrived.push(null),
    onId,
    onRetry
  });
  const decoder = new TextDecoder();
  for await (const piece of readPieces(response)) {
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* arrived.splice(0);
  }
}
async function* readPieces({ body }) {
  const reader = body?.getReader();
  if (reader === void 0) return;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    await reader.cancel().catch(() => {
    });
  }
}

// ../sdk/src/core/retry.ts
var BASE_DELAY_MS = 250;
var MAX_DELAY_MS = 8e3;
var MAX_RETRY_AFTER_SECONDS = 60;
var RETRY_AFTER_SPREAD_MS = 500;
var UNCERTAIN = /* @__PURE__ */ new Set([408, 500, 502, 503, 504]);
function backoffMs(attempt) {
  return Math.random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt);
}
function retryDelayMs(error, { attempt, isRepeatable }) {
  if (error instanceof BountyConnectionError || error instanceof BountyTimeoutError) return isRepeatable ? backoffMs(attempt) : null;
  if (!(error instanceof BountyApiError)) return null;
  const wasNotExecuted = error.status === 429 || error.code === "SERVICE_BUSY";
  if (!wasNotExecuted && !(isRepeatable && UNCERTAIN.has(error.status))) return null;
  const { retryAfterSeconds } = error;
  if (retryAfterSeconds === void 0) return backoffMs(attempt);
  if (retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) return null;
  return retryAfterSeconds * 1e3 + Math.random() * RETRY_AFTER_SPREAD_MS;
}
function isTransient(error) {
  if (error instanceof BountyConnectionError || error instanceof BountyTimeoutError) return true;
  return error instanceof BountyApiError && (error.status === 429 || UNCERTAIN.has(error.status));
}

// ../sdk/src/core/follow.ts
var MAX_OUTAGE_MS = 3e5;
var STABLE_MS = 1e4;
var PASSING_CODES = /* @__PURE__ */ new Set(["INTERNAL_ERROR", "OVERLOADED", "RATE_LIMITED", "SERVICE_BUSY"]);
async function connect(open, { lastEventId, signal, firstMs, onRetry }) {
  const headers = { Accept: "text/event-stream", "Last-Event-ID": lastEventId === "" ? void 0 : lastEventId };
  const response = await open({ headers, signal, maxRetries: 0 }, firstMs);
  const isStream = (response.headers.get("Content-Type") ?? "").startsWith("text/event-stream");
  if (!isStream && response.status !== 204) {
    await response.body?.cancel();
    throw new BountyConnectionError("The response is not a stream of server-sent events.");
  }
  let lastId = lastEventId;
  const received = readEvents(response, {
    onId: (id) => {
      lastId = id;
    },
    onRetry
  });
  async function* events() {
    for await (const event of received) {
      if (event?.type === "error") throw toError(event.data);
      yield event === null ? null : trustDocument({ ...event, data: parseEventData(event.data) });
    }
  }
  return { isOpen: response.status !== 204, events: events(), lastEventId: () => lastId };
}
function toError(data) {
  const fields2 = parseEnvelope(data);
  if (fields2 === null) return new BountyConnectionError("The stream ended with an error that cannot be read.");
  if (PASSING_CODES.has(fields2.code)) return new BountyConnectionError(`The stream ended: ${fields2.message}`);
  return new BountyApiError({ ...fields2, status: 200 });
}
function parseEventData(data) {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw new BountyConnectionError("The data of an event is not JSON.", { cause: error });
  }
}
async function* follow(open, options) {
  const { signal, onOpen, onReconnect, maxOutageMs = MAX_OUTAGE_MS } = options;
  const outage = new Outage(maxOutageMs, signal);
  let { lastEventId } = options;
  let retryMs = null;
  const onRetry = (ms) => {
    retryMs = ms;
  };
  for (let failures = 0; ; failures += 1) {
    const startedAt = Date.now();
    let failure = null;
    try {
      const connection = await connect(open, { lastEventId, signal, onRetry });
      if (!connection.isOpen) return;
      onOpen?.();
      for await (const event of connection.events) {
        outage.end();
        lastEventId = connection.lastEventId();
        if (event !== null) yield event;
        if (event?.type === "terminal") return;
      }
    } catch (error) {
      outage.assertPassing(error);
      failure = error;
    }
    if (Date.now() - startedAt > STABLE_MS) failures = 0;
    onReconnect?.(failure);
    await sleep(reconnectDelayMs(failure, { failures, retryMs }), signal);
  }
}
var Outage = class {
  #maxMs;
  #signal;
  #since = null;
  constructor(maxMs = MAX_OUTAGE_MS, signal) {
    this.#maxMs = maxMs;
    this.#signal = signal;
  }
  /** Records that the platform was reached. */
  end() {
    this.#since = null;
  }
  /** Throws an error that a later attempt cannot solve, and any error after the longest time. */
  assertPassing(error) {
    this.#since ??= Date.now();
    if (this.#signal?.aborted === true || !isTransient(error) || Date.now() - this.#since >= this.#maxMs) throw error;
  }
};
function reconnectDelayMs(failure, { failures, retryMs }) {
  if (failure instanceof BountyApiError && failure.retryAfterSeconds !== void 0) return failure.retryAfterSeconds * 1e3 + backoffMs(0);
  return Math.max(retryMs ?? 0, backoffMs(failures));
}

// ../sdk/src/core/options.ts
var LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
function parseBaseUrl(text) {
  const url = assertSafeUrl(text, "baseUrl");
  if (url.search !== "" || url.hash !== "") throw new BountyUsageError("baseUrl must not have a query or a fragment.");
  return url.origin + url.pathname.replace(/\/+$/, "");
}
function assertSafeUrl(text, name) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new BountyUsageError(`${name} must be an absolute URL, such as https://bounties.example.`);
  }
  if (url.username !== "" || url.password !== "") throw new BountyUsageError(`${name} must not contain a user name or password.`);
  if (url.protocol === "https:" || url.protocol === "http:" && LOOPBACK.test(url.hostname)) return url;
  throw new BountyUsageError(`${name} must be an https URL. Plain http is accepted for loopback only.`);
}
function assertCredential(credential, name) {
  if (/^[\x21-\x7e]+$/.test(credential)) return credential;
  throw new BountyUsageError(`${name} must be printable ASCII without spaces. Check for a line break at its end.`);
}
function assertWhole(value, { name, least }) {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new BountyUsageError(`${name} must be a whole number of at least ${least}.`);
}

// ../sdk/src/core/pages.ts
var Paged = class {
  #fetch;
  constructor(fetch2) {
    this.#fetch = fetch2;
  }
  /** Returns one page: the first, or the one of a `nextCursor`. */
  async page(cursor) {
    const response = await this.#fetch(cursor);
    const { items, nextCursor } = readPage(response);
    return { items: trustDocument(items), nextCursor, response };
  }
  /** Yields all pages, one after the other. */
  async *pages() {
    for (let cursor; ; ) {
      const page = await this.page(cursor);
      yield page;
      if (page.nextCursor === null) return;
      if (page.nextCursor === cursor) throw new BountyConnectionError("The list does not go on: a page names itself as the next one.");
      cursor = page.nextCursor;
    }
  }
  async *[Symbol.asyncIterator]() {
    for await (const { items } of this.pages()) yield* items;
  }
  /** Returns all items of all pages, or the first `limit` of them. */
  async toArray(limit = Number.POSITIVE_INFINITY) {
    const all = [];
    if (limit <= 0) return all;
    for await (const item of this) {
      all.push(item);
      if (all.length >= limit) break;
    }
    return all;
  }
};
function readPage(response) {
  if (!isRecord(response)) throw new BountyConnectionError("The response is not a page of a list.");
  const items = response["data"] ?? response["entries"];
  const { next_cursor: cursor } = isRecord(response["pagination"]) ? response["pagination"] : response;
  if (!Array.isArray(items)) throw new BountyConnectionError("The response is not a page of a list.");
  return { items, nextCursor: typeof cursor === "string" ? cursor : null };
}

// ../sdk/src/core/transport.ts
var DEFAULT_TIMEOUT_MS = 3e4;
var UPLOAD_MS_PER_BYTE = 1 / 32;
var DEFAULT_MAX_RETRIES = 4;
var IDLE_MS = 6e4;
var REPEATABLE_METHODS = /* @__PURE__ */ new Set(["GET", "PUT", "DELETE"]);
var CONDITIONS = ["if-match", "if-none-match"];
var DEFAULT_USER_AGENT = "bounty-platform-sdk";
var STATUSES_WITHOUT_BODY = /* @__PURE__ */ new Set([204, 304]);
var Transport = class {
  #timeoutMs;
  #maxRetries;
  #fetch;
  #userAgent;
  #onRetry;
  #onResponse;
  constructor({ fetch: ownFetch, timeoutMs, maxRetries, userAgent, onRetry, onResponse }) {
    this.#onResponse = onResponse;
    this.#onRetry = onRetry;
    this.#timeoutMs = assertWhole(timeoutMs ?? DEFAULT_TIMEOUT_MS, { name: "timeoutMs", least: 1 });
    this.#maxRetries = assertWhole(maxRetries ?? DEFAULT_MAX_RETRIES, { name: "maxRetries", least: 0 });
    this.#fetch = ownFetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#userAgent = canNameItself() ? userAgent ?? DEFAULT_USER_AGENT : void 0;
  }
  /**
   * Sends a request and returns a response with status 2xx or 304. Its whole body has arrived, unless `isOpen` is set.
   *
   * @throws BountyApiError, BountyTimeoutError, BountyConnectionError, BountyUsageError, or the reason of `signal`.
   */
  async send(request) {
    assertSafeUrl(request.url, "The URL");
    const isRepeatable = request.isRepeatable ?? canRepeat(request);
    const maxRetries = assertWhole(request.maxRetries ?? this.#maxRetries, { name: "maxRetries", least: 0 });
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await this.#attempt(request);
        const requestId = response.headers.get("X-Request-Id") ?? void 0;
        this.#onResponse?.({ method: request.method, path: new URL(request.url).pathname, status: response.status, requestId });
        return response;
      } catch (error) {
        const waitMs = attempt < maxRetries ? retryDelayMs(error, { attempt, isRepeatable }) : null;
        if (waitMs === null) throw error;
        const { method, url } = request;
        this.#onRetry?.({ method, path: new URL(url).pathname, attempt: attempt + 1, delayMs: waitMs, error });
        await sleep(waitMs, request.signal);
      }
    }
  }
  async #attempt(request) {
    const { method, url, headers, body, bodyBytes = 0, signal, timeoutMs, isOpen, firstMs, fetch: ownFetch } = request;
    const what = `${method} ${new URL(url).pathname}`;
    const limitMs = timeoutMs ?? Math.ceil(this.#timeoutMs + bodyBytes * UPLOAD_MS_PER_BYTE);
    const deadline = new Deadline({ timeoutMs: assertWhole(limitMs, { name: "timeoutMs", least: 1 }), signal, what });
    if (this.#userAgent !== void 0) headers.set("User-Agent", this.#userAgent);
    try {
      const content = body?.();
      const init = {
        method,
        // The headers are a plain object, because a caller's `fetch` may add headers by spreading.
        headers: Object.fromEntries(headers),
        signal: deadline.signal,
        // Following a redirect would lose its method, or send the key to another host.
        redirect: "manual",
        ...content === void 0 ? {} : { body: content },
        ...content instanceof ReadableStream ? { duplex: "half" } : {}
      };
      const response = await (ownFetch ?? this.#fetch)(url, init);
      if (!response.ok && response.status !== 304) throw await failureOf(response, method);
      if (isOpen === true) return watchBody(response, deadline, firstMs ?? IDLE_MS);
      const arrived = STATUSES_WITHOUT_BODY.has(response.status) ? null : await response.arrayBuffer();
      deadline.close();
      return new Response(arrived, response);
    } catch (error) {
      const explained = deadline.explain(error);
      deadline.close();
      throw explained;
    }
  }
};
function canRepeat({ method, headers }) {
  if (headers.has("Idempotency-Key")) return true;
  return REPEATABLE_METHODS.has(method) && (method === "GET" || !CONDITIONS.some((name) => headers.has(name)));
}
function watchBody(response, deadline, firstMs) {
  if (response.body === null) {
    deadline.close();
    return response;
  }
  const reader = response.body.getReader();
  let limitMs = firstMs;
  deadline.pause();
  const watched = new ReadableStream(
    {
      async pull(controller) {
        deadline.restart(limitMs);
        try {
          const piece = await reader.read();
          deadline.pause();
          limitMs = IDLE_MS;
          if (!piece.done) return controller.enqueue(piece.value);
          deadline.close();
          controller.close();
        } catch (error) {
          const explained = deadline.explain(error);
          deadline.close();
          controller.error(explained);
        }
      },
      cancel: () => deadline.close()
    },
    { highWaterMark: 0 }
  );
  return new Response(watched, response);
}
async function failureOf(response, method) {
  const isRedirect = response.status === 0 || response.status >= 300 && response.status < 400;
  if (!isRedirect) return readApiError(response, method);
  const target = response.headers.get("Location");
  return new BountyConnectionError(
    `The server redirects ${target === null ? "elsewhere" : `to ${target}`}. Set baseUrl to where the platform is.`
  );
}
function canNameItself() {
  return !("document" in globalThis) && !("importScripts" in globalThis);
}

// ../sdk/src/core/upload.ts
var CHUNK_BYTES = 64 * 1024;
async function prepareBytes(bytes, { mediaType, onProgress, headers }) {
  const content = await toBytes(bytes);
  const totalBytes = content.length;
  const isStreamed = onProgress !== void 0 && canStreamRequests();
  if (!headers.has("Content-Type")) headers.set("Content-Type", mediaType ?? "application/octet-stream");
  if (isStreamed) headers.set("Content-Length", String(totalBytes));
  return {
    body: () => {
      onProgress?.({ sentBytes: 0, totalBytes });
      return isStreamed ? streamOf(content, onProgress) : content;
    },
    bodyBytes: totalBytes,
    onSent: () => onProgress?.({ sentBytes: totalBytes, totalBytes })
  };
}
async function toBytes(content) {
  if (typeof content === "string") return new Uint8Array(new TextEncoder().encode(content));
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  const { buffer } = content;
  return buffer instanceof ArrayBuffer ? new Uint8Array(buffer, content.byteOffset, content.byteLength) : new Uint8Array(content);
}
function canStreamRequests() {
  const process2 = Reflect.get(globalThis, "process");
  const versions = isRecord(process2) ? process2["versions"] : null;
  return isRecord(versions) && "node" in versions && !("bun" in versions || "deno" in versions || "WebSocketPair" in globalThis);
}
function streamOf(bytes, onProgress) {
  let sentBytes = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (sentBytes >= bytes.length) return controller.close();
        const chunk = bytes.subarray(sentBytes, sentBytes + CHUNK_BYTES);
        sentBytes += chunk.length;
        controller.enqueue(chunk);
        onProgress({ sentBytes, totalBytes: bytes.length });
      }
    },
    { highWaterMark: 0 }
  );
}

// ../sdk/src/core/core.ts
var BOOKMARK = "X-D1-Bookmark";
var JSON_TYPE = /^application\/([\w.-]+\+)?json/;
var READING_POSTS = /* @__PURE__ */ new Set(["checkSubmission", "lintTask"]);
var Core = class {
  baseUrl;
  #transport;
  #http;
  #credentials;
  /** Reads send the newest change that this client has seen, so that they show at least that change. */
  #bookmark;
  constructor(options) {
    const { apiKey, adminToken, csrfToken } = options;
    this.baseUrl = parseBaseUrl(options.baseUrl);
    this.#transport = new Transport(options);
    this.#http = createClient({ baseUrl: this.baseUrl, pathSerializer: fillPath, redirect: "manual" });
    this.#credentials = {
      apiKey: apiKey === void 0 ? void 0 : assertCredential(apiKey, "apiKey"),
      adminToken: adminToken === void 0 ? void 0 : assertCredential(adminToken, "adminToken"),
      csrfToken
    };
  }
  /** Returns the data of a successful response. */
  async call(id, input) {
    const { data } = await readData(await this.#send(id, { ...input, headers: { Accept: "application/json", ...input.headers } }));
    if (data === void 0) throw new BountyConnectionError(`${id} got a response without data.`);
    return data;
  }
  /** Returns status, headers and data of a successful response, also of a 304. */
  async request(id, input) {
    return readData(await this.#send(id, input));
  }
  /** Returns a successful response whose body is read in pieces. A pause of more than a minute is a time-out. */
  open(id, input, firstMs) {
    return this.#send(id, input, { isOpen: true, firstMs });
  }
  /** Returns a list whose pages an operation returns. */
  list(id, input) {
    return new Paged(
      (cursor) => this.call(id, { ...input, query: { ...input.query, ...cursor === void 0 ? {} : { cursor } } })
    );
  }
  /** Yields the events of a stream, over as many connections as needed. */
  follow(id, input, options) {
    return follow((extra, firstMs) => this.open(id, { ...input, ...extra }, firstMs), options);
  }
  /** Returns the URL of an operation. */
  url(id, { path = {}, query = {} }) {
    const search = createQuerySerializer()(query);
    return `${this.baseUrl}${fillPath(OPERATIONS[id].path, path)}${search === "" ? "" : `?${search}`}`;
  }
  async #send(id, input, reading = {}) {
    const { signal, timeoutMs, maxRetries, fetch: fetch2 } = input;
    const options = { signal, timeoutMs, maxRetries, fetch: fetch2, ...reading, ...READING_POSTS.has(id) ? { isRepeatable: true } : {} };
    const { method } = OPERATIONS[id];
    const headers = this.#headers(id, input);
    const bytes = isBytes(input.body) ? input.body : null;
    if (bytes !== null || input.signedUrl !== void 0) {
      const url = input.signedUrl ?? this.url(id, input);
      const upload = bytes === null ? null : await prepareBytes(bytes, { ...input, headers });
      const response = await this.#transport.send({ method, url, headers, ...upload, ...options });
      if (bytes !== null) upload?.onSent();
      return this.#remember(response);
    }
    let sent;
    await this.#http.request(lowerCase(method), OPERATIONS[id].path, {
      params: { path: { ...input.path }, query: { ...input.query } },
      body: input.form === void 0 ? input.body : toForm(input.form),
      bodySerializer: (body) => body instanceof FormData ? body : JSON.stringify(body),
      headers,
      parseAs: "stream",
      fetch: async (request) => {
        const content = request.body === null ? void 0 : await request.arrayBuffer();
        const body = content === void 0 ? void 0 : () => content;
        sent = await this.#transport.send({
          ...{ method, url: request.url, headers: new Headers(request.headers), body, bodyBytes: content?.byteLength },
          ...options
        });
        return sent;
      }
    });
    if (sent === void 0) throw new BountyConnectionError(`${id} was not sent.`);
    return this.#remember(sent);
  }
  #remember(response) {
    this.#bookmark = response.headers.get(BOOKMARK) ?? this.#bookmark;
    return response;
  }
  #headers(id, input) {
    const { auth, method } = OPERATIONS[id];
    const { csrfToken, apiKey, adminToken } = this.#credentials;
    const own = { key: apiKey, admin: adminToken, session: void 0, operator: void 0, none: void 0, signed: void 0 }[auth];
    const token = input.token === void 0 ? own : assertCredential(input.token, "token");
    const headers = new Headers();
    const isRead = method === "GET";
    if (token !== void 0) headers.set("Authorization", `Bearer ${token}`);
    if (!isRead && auth !== "signed" && csrfToken !== void 0 && token === void 0) headers.set("X-CSRF-Token", csrfToken);
    if (isRead && (auth === "key" || auth === "session") && this.#bookmark !== void 0) headers.set(BOOKMARK, this.#bookmark);
    if ("idempotencyKey" in OPERATIONS[id]) headers.set("Idempotency-Key", crypto.randomUUID());
    for (const [name, value] of Object.entries(input.headers ?? {})) if (value !== void 0) headers.set(name, value);
    return headers;
  }
};
function fillPath(path, values) {
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    if (typeof value !== "string" || ["", ".", ".."].includes(value)) {
      throw new BountyUsageError(`${name} must not be ${value === void 0 ? "missing" : JSON.stringify(value)}.`);
    }
    if (!value.isWellFormed()) throw new BountyUsageError(`${name} must be well-formed Unicode.`);
    return encodeURIComponent(value);
  });
}
function lowerCase(method) {
  return trustDocument(method.toLowerCase());
}
function isBytes(body) {
  return body instanceof Uint8Array || body instanceof ArrayBuffer || body instanceof Blob;
}
function toForm(fields2) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields2)) if (value !== void 0) form.append(name, value);
  return form;
}
async function readData(response) {
  const { status, headers } = response;
  const requestId = headers.get("X-Request-Id") ?? void 0;
  if (status === 204 || status === 304) return { status, headers, requestId, data: void 0 };
  const text = await response.text();
  const isJson = JSON_TYPE.test(headers.get("Content-Type") ?? "");
  return { status, headers, requestId, data: trustDocument(isJson ? parseJson(text) : text) };
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BountyConnectionError("The response says that it is JSON and is not.", { cause: error });
  }
}

// ../../src/domain/proof-of-work.ts
function proofText(challenge, solution) {
  return `${challenge}:${solution}`;
}
function leadingZeroBits(bytes) {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? 8 * bytes.length : 8 * first + Math.clz32(bytes[first] ?? 0) - 24;
}

// ../sdk/src/core/proof-of-work.ts
var MAX_BITS = 22;
var HASHES_AT_ONCE = 1024;
function findChallenge(error) {
  const details = error instanceof BountyApiError && error.code === "FORBIDDEN" ? error.details : null;
  if (!isRecord(details) || details["algorithm"] !== "sha256") return null;
  const { challenge, bits } = details;
  return typeof challenge === "string" && typeof bits === "number" && bits <= MAX_BITS ? { challenge, bits } : null;
}
async function solveChallenge({ challenge, bits }, signal) {
  const encoder = new TextEncoder();
  for (let start = 0; ; start += HASHES_AT_ONCE) {
    signal?.throwIfAborted();
    const solutions = Array.from({ length: HASHES_AT_ONCE }, (_, index) => String(start + index));
    const hashes = await Promise.all(
      solutions.map((solution) => crypto.subtle.digest("SHA-256", encoder.encode(proofText(challenge, solution))))
    );
    const found = hashes.findIndex((hash) => leadingZeroBits(new Uint8Array(hash)) >= bits);
    if (found !== -1) return String(start + found);
  }
}

// ../sdk/src/submit/wait.ts
var POLL_MS = 5e3;
var FIRST_EVENT_MS = 15e3;
var MAX_STREAM_FAILURES = 2;
var POLLS_BETWEEN_STREAMS = 6;
function isOver({ status, evaluated }) {
  return status === "failed" || status === "evaluation_failed" || status === "completed" && evaluated;
}
async function waitForSubmission(core, id, options) {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const deadline = new Deadline({ timeoutMs, signal, what: `Waiting for submission ${id}` });
  try {
    return await new Wait(core, id, { ...options, signal: deadline.signal }).run();
  } catch (error) {
    throw deadline.explain(error);
  } finally {
    deadline.close();
  }
}
var Wait = class {
  #core;
  #id;
  #options;
  #lastEventId;
  #reported = "";
  #streamFailures = 0;
  /** The server asks to wait this long after a broken connection, so that watchers do not come back together. */
  #retryMs = null;
  #outage;
  constructor(core, id, options) {
    this.#core = core;
    this.#id = id;
    this.#options = options;
    this.#outage = new Outage(options.maxOutageMs, options.signal);
  }
  async run() {
    const { signal, pollMs = POLL_MS } = this.#options;
    for (let round = 0, failures = 0; ; round += 1, failures += 1) {
      const startedAt = Date.now();
      const isStreaming = this.#streamFailures < MAX_STREAM_FAILURES || round % POLLS_BETWEEN_STREAMS === 0;
      let failure = null;
      try {
        const end = isStreaming ? await this.#stream() : await this.#read();
        if (end !== null) return end;
      } catch (error) {
        failure = error;
        this.#outage.assertPassing(error);
      }
      if (Date.now() - startedAt > STABLE_MS) failures = 0;
      const isPolling = this.#streamFailures >= MAX_STREAM_FAILURES && failure === null;
      await sleep(isPolling ? pollMs : reconnectDelayMs(failure, { failures, retryMs: this.#retryMs }), signal);
    }
  }
  /** Follows one connection. Returns null if it ended before judging did. */
  async #stream() {
    const connection = await this.#open();
    try {
      const state = await this.#read();
      if (state !== null || connection === null) return state;
      for await (const event of connection.events) {
        this.#outage.end();
        if (event === null) continue;
        this.#lastEventId = event.id;
        this.#streamFailures = 0;
        if (this.#report(event.data)) return event.data;
      }
    } catch (error) {
      if (isTransient(error)) this.#streamFailures += 1;
      throw error;
    } finally {
      await connection?.events.return();
    }
    return null;
  }
  /** Returns null if a stream cannot be opened here, or has sent everything. */
  async #open() {
    const { signal } = this.#options;
    try {
      const connection = await connect(
        (input, firstMs) => this.#core.open("streamSubmission", { path: { id: this.#id }, ...input }, firstMs),
        {
          ...{ lastEventId: this.#lastEventId, signal, firstMs: FIRST_EVENT_MS },
          onRetry: (ms) => {
            this.#retryMs = ms;
          }
        }
      );
      if (connection.isOpen) return connection;
      this.#lastEventId = void 0;
      return null;
    } catch (error) {
      this.#streamFailures += 1;
      if (error instanceof BountyConnectionError || error instanceof BountyApiError && error.code.startsWith("HTTP_")) return null;
      throw error;
    }
  }
  /** Reads the state, and returns null while judging continues. */
  async #read() {
    const state = await this.#core.call("getSubmission", { path: { id: this.#id }, signal: this.#options.signal });
    this.#outage.end();
    return this.#report(state) ? state : null;
  }
  #report(state) {
    const { status, evaluated, scores, waiting_for: waitingFor, error_message: message, iteration } = state;
    const shown = JSON.stringify([status, evaluated, scores, waitingFor, message, iteration]);
    if (shown !== this.#reported) {
      this.#reported = shown;
      this.#options.onProgress?.(state);
    }
    return isOver(state);
  }
};

// ../sdk/src/submit/handle.ts
var SubmissionHandle = class {
  id;
  /** The result of the check before submitting, with its warnings; null without a check. */
  check;
  /** True if the same files were submitted before, so that this is the earlier submission and no slot was used. */
  isRepeated;
  #core;
  #client;
  constructor(core, { id, check: check3 = null, isRepeated = false }) {
    this.#core = core;
    this.#client = new Methods(core);
    this.id = id;
    this.check = check3;
    this.isRepeated = isRepeated;
  }
  /** Returns the submission in its current state. */
  get(options = {}) {
    return this.#client.getSubmission(this.id, {}, options);
  }
  /** Returns the submission with the reasoning of each criterion. */
  details(options = {}) {
    return this.#client.getSubmissionDetails(this.id, options);
  }
  /**
   * Waits until judging has ended, also with `failed` or `evaluation_failed`: look at `status`. Server restarts, broken connections and
   * rate limits only delay it.
   *
   * @throws BountyTimeoutError after `timeoutMs`, or the reason of `signal`.
   */
  wait(options = {}) {
    return waitForSubmission(this.#core, this.id, options);
  }
  /** Yields its changes, up to `terminal`. */
  stream(options = {}) {
    return this.#client.streamSubmission(this.id, options);
  }
};

// ../sdk/src/submit/files.ts
var QUICK_MAX_FILES = 2e3;
var QUICK_MAX_BYTES = 5 * 1024 * 1024;
async function readFileSet(files) {
  const entries = Symbol.iterator in files ? [...files] : Object.entries(files);
  if (entries.length === 0) throw new BountyUsageError("There are no files to submit.");
  const map = /* @__PURE__ */ new Map();
  for (const [path, content] of entries) {
    if (map.has(path)) throw new BountyUsageError(`The path ${JSON.stringify(path)} comes twice.`);
    map.set(path, await toBytes(content));
  }
  return map;
}
function decodeUtf8(bytes) {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
function toQuickFiles(files) {
  return Object.fromEntries([...files].map(([path, bytes]) => [path, toQuickFile(bytes)]));
}
function toQuickFile(bytes) {
  const text = decodeUtf8(bytes);
  if (text !== null && JSON.stringify(text).length - text.length <= bytes.length / 3 + 2) return text;
  return { content: toBase64(bytes), encoding: "base64" };
}
function toBase64(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 32768) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 32768)));
  return btoa(pieces.join(""));
}
function suitsQuickSubmit(files) {
  return files.size <= QUICK_MAX_FILES && sizeOf(files) <= QUICK_MAX_BYTES;
}
function sizeOf(files) {
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}

// ../../src/domain/crc32.ts
var TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? value >>> 1 ^ 3988292384 : value >>> 1;
  return value >>> 0;
});
function crc32(bytes, before) {
  let crc = ~before;
  for (let at = 0; at < bytes.byteLength; at += 1) crc = crc >>> 8 ^ (TABLE[(crc ^ (bytes[at] ?? 0)) & 255] ?? 0);
  return ~crc >>> 0;
}

// ../sdk/src/submit/zip.ts
var LOCAL_HEADER = 67324752;
var CENTRAL_HEADER = 33639248;
var END_OF_DIRECTORY = 101010256;
var VERSION = 20;
var UTF8_NAMES = 2048;
var STORED = 0;
var DEFLATED = 8;
var DOS_DATE = 33;
var UNIX_FILE = 33188 * 65536;
var MADE_BY_UNIX = 3 << 8;
var MAX_ENTRIES = 65535;
var MAX_BYTES = 4294967295;
var RATIO_FREE_BYTES = 5 * 1024 * 1024;
var MAX_RATIO = 200;
async function packZip(files, { onFile, signal } = {}) {
  if (files.size > MAX_ENTRIES) throw new BountyUsageError(`A zip holds at most ${MAX_ENTRIES} files.`);
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [path, bytes] of files) {
    signal?.throwIfAborted();
    const entry = await packEntry(path, bytes);
    directory.push(centralHeader(entry, offset));
    parts.push(localHeader(entry), entry.data);
    offset += 30 + entry.name.length + entry.data.length;
    if (offset > MAX_BYTES) throw new BountyUsageError("The files are too large for a zip.");
    onFile?.(directory.length, files.size);
  }
  const central = concatBytes(directory);
  return concatBytes([...parts, central, endOfDirectory({ entries: files.size, size: central.length, offset })]);
}
async function packEntry(path, bytes) {
  const shared = { name: new TextEncoder().encode(path), crc: crc32(bytes, 0), size: bytes.length };
  const deflated = await deflate(bytes);
  return deflated !== null && deflated.length < bytes.length && !looksLikeBomb(bytes.length, deflated.length) ? { ...shared, data: deflated, method: DEFLATED } : { ...shared, data: bytes, method: STORED };
}
function looksLikeBomb(bytes, packedBytes) {
  return bytes > RATIO_FREE_BYTES && bytes > packedBytes * MAX_RATIO;
}
async function deflate(bytes) {
  if (typeof CompressionStream === "undefined" || bytes.length === 0) return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
function concatBytes(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
function fields(...values) {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of values) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}
function sharedFields({ method, crc, data, size, name }) {
  return [
    [2, VERSION],
    [2, UTF8_NAMES],
    [2, method],
    [2, 0],
    [2, DOS_DATE],
    [4, crc],
    [4, data.length],
    [4, size],
    [2, name.length],
    [2, 0]
  ];
}
function localHeader(entry) {
  return concatBytes([fields([4, LOCAL_HEADER], ...sharedFields(entry)), entry.name]);
}
function centralHeader(entry, offset) {
  const after = [
    [2, 0],
    [2, 0],
    [2, 0],
    [4, UNIX_FILE],
    [4, offset]
  ];
  return concatBytes([fields([4, CENTRAL_HEADER], [2, MADE_BY_UNIX | VERSION], ...sharedFields(entry), ...after), entry.name]);
}
function endOfDirectory({ entries, size, offset }) {
  return fields([4, END_OF_DIRECTORY], [2, 0], [2, 0], [2, entries], [2, entries], [4, size], [4, offset], [2, 0]);
}

// ../sdk/src/submit/submit.ts
var CHECK_MAX_BYTES = 20 * 1024 * 1024;
var COMPLETE_ATTEMPTS = 5;
async function submit(to, work, options) {
  const { method = "auto", resume, signal, onProgress } = options;
  if (isZip(work)) return submitZip(to, await toBytes(work), options);
  const files = await readFileSet(work);
  const isQuick = resume === void 0 && (method === "auto" ? suitsQuickSubmit(files) : method === "quick-submit");
  if (isQuick) return submitQuickly(to, files, options);
  if (!files.has("SUBMISSION.md")) throw new BountyUsageError("A zip needs a SUBMISSION.md at its root, and work of more than 5 MB a zip.");
  const onFile = (packedFiles, totalFiles) => onProgress?.({ phase: "packing", packedFiles, totalFiles });
  return submitZip(to, await packZip(files, { onFile, signal }), options);
}
async function check({ client, taskId }, work, options) {
  if (isZip(work)) return client.checkSubmission(taskId, work, options);
  const files = await readFileSet(work);
  if (suitsQuickSubmit(files)) return client.checkSubmission(taskId, { files: toQuickFiles(files) }, options);
  return client.checkSubmission(taskId, await packZip(files, { signal: options.signal }), options);
}
function isZip(work) {
  return work instanceof Uint8Array || work instanceof ArrayBuffer || work instanceof Blob;
}
function callOptions({ signal, timeoutMs, maxRetries, token, fetch: fetch2 }) {
  return { signal, timeoutMs, maxRetries, token, fetch: fetch2 };
}
async function checkFirst(options, run) {
  if (options.check === false) return null;
  options.onProgress?.({ phase: "checking" });
  const result = await run();
  if (!result.ok) throw new BountyCheckError(result);
  return result;
}
async function submitQuickly({ client, core, taskId }, files, options) {
  const body = { files: toQuickFiles(files) };
  const check3 = await checkFirst(options, () => client.checkSubmission(taskId, body, callOptions(options)));
  const { agentDisplayName: displayName, onProgress } = options;
  const key = options.idempotencyKey ?? await makeContentKey({ taskId, files, displayName });
  const { data, headers } = await core.request("quickSubmit", {
    ...callOptions(options),
    path: { id: taskId },
    body: { ...body, ...nameOf(options) },
    headers: { "Idempotency-Key": key }
  });
  if (data === void 0) throw new BountyConnectionError("quickSubmit got a response without data.");
  onProgress?.({ phase: "submitted", submissionId: data.id });
  return { id: data.id, check: check3, isRepeated: headers.get("Idempotency-Replayed") === "true" };
}
function nameOf({ agentDisplayName }) {
  return agentDisplayName === void 0 ? {} : { agent_display_name: agentDisplayName };
}
async function submitZip({ client, taskId }, zip, options) {
  const { resume, onProgress } = options;
  const canCheck = resume === void 0 && zip.length <= CHECK_MAX_BYTES;
  const check3 = canCheck ? await checkFirst(options, () => client.checkSubmission(taskId, zip, callOptions(options))) : null;
  const { id, upload_url: uploadUrl } = resume === void 0 ? await client.createSubmission(taskId, { ...nameOf(options), size_bytes: zip.length }, callOptions(options)) : await reopen(client, resume, { ...options, sizeBytes: zip.length });
  onProgress?.({ phase: "registered", submissionId: id });
  try {
    if (uploadUrl !== null) {
      const onUpload = onProgress === void 0 ? void 0 : (sent) => onProgress({ phase: "uploading", ...sent });
      await client.putArtifact(uploadUrl, zip, { ...callOptions(options), onProgress: onUpload });
    }
    await complete(client, id, options);
  } catch (error) {
    throw isTransient(error) ? new BountyIncompleteError(id, error) : error;
  }
  onProgress?.({ phase: "submitted", submissionId: id });
  return { id, check: check3, isRepeated: false };
}
async function reopen(client, id, { sizeBytes, ...options }) {
  const { status, next_step: nextStep } = await client.getSubmission(id, {}, callOptions(options));
  if (status !== "registered" || nextStep !== void 0) return { id, upload_url: null };
  const { upload_url } = await client.refreshUploadUrl(id, { size_bytes: sizeBytes }, callOptions(options));
  return { id, upload_url };
}
async function complete(client, id, options) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await client.completeSubmission(id, callOptions(options));
      return;
    } catch (error) {
      if (error instanceof BountyApiError && error.code === "WRONG_STATUS") return;
      if (!isTransient(error) || attempt + 1 >= COMPLETE_ATTEMPTS) throw error;
      await sleep(backoffMs(attempt), options.signal);
      const { status } = await client.getSubmission(id, {}, callOptions(options));
      if (status !== "registered") return;
    }
  }
}

// ../sdk/src/client.ts
var DIRECT_MAX_BYTES = 4 * 1024 * 1024;
var DRY_RUN_POLL_MS = 2e3;
var BountyClient = class extends Methods {
  /** @throws BountyUsageError for a wrong option, such as a `baseUrl` with plain http that is not loopback. */
  constructor(options) {
    super(new Core(options));
  }
  /** Returns the platform's URL, without a slash at its end. */
  get baseUrl() {
    return this.core.baseUrl;
  }
  /**
   * Checks files or a zip, submits them and starts their evaluation. Small files go as JSON, everything else as a zip. Nothing is sent
   * twice: quick-submit has an idempotency key, and completing looks at the state first.
   *
   * @param work Contents by path, or a zip. `@bounty-platform/sdk/node` also takes the path of a folder or zip.
   * @throws BountyCheckError when the files would be rejected, before a slot is used.
   * @throws BountyIncompleteError when a slot was taken but the upload broke off. Its `submissionId` resumes it.
   */
  async submit(taskId, work, options = {}) {
    return new SubmissionHandle(this.core, await submit({ client: this, core: this.core, taskId }, work, options));
  }
  /** Returns what the platform would do with files or a zip as a submission. It uses no slot. */
  check(taskId, work, options = {}) {
    return check({ client: this, taskId }, work, options);
  }
  /** Returns an earlier submission, to wait for it or to follow it. */
  submission(id) {
    return new SubmissionHandle(this.core, { id });
  }
  /** Waits until judging has ended. See {@link SubmissionHandle.wait}. */
  waitForSubmission(id, options = {}) {
    return this.submission(id).wait(options);
  }
  /**
   * Waits until a dry run has ended, also with `evaluation_failed`.
   *
   * @param options `timeoutMs` is for the whole wait, `pollMs` for the pause between two reads: 2,000 by default.
   * @throws BountyTimeoutError after `timeoutMs`.
   */
  async waitForDryRun(id, options = {}) {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY, pollMs = DRY_RUN_POLL_MS } = options;
    const end = Date.now() + timeoutMs;
    for (; ; ) {
      const run = await this.getDryRun(id, { signal });
      if (run.status !== "running") return run;
      if (Date.now() + pollMs > end) throw new BountyTimeoutError(`Dry run ${id} has not ended within ${timeoutMs} ms.`, timeoutMs);
      await sleep(pollMs, signal);
    }
  }
  /**
   * Makes an agent without a human. The response has its only API key; make a client with it. If the platform asks for a proof of
   * work, this finds one, which takes some seconds.
   */
  async registerAnonymous(body = {}, options = {}) {
    try {
      return await super.registerAnonymous(body, options);
    } catch (error) {
      const asked = body.proof_of_work === void 0 ? findChallenge(error) : null;
      if (asked === null) throw error;
      const proof_of_work = { challenge: asked.challenge, solution: await solveChallenge(asked, options.signal) };
      return super.registerAnonymous({ ...body, proof_of_work }, options);
    }
  }
  /** Stores a file of any size that the workspace accepts: up to 4 MB in one request, a larger one over an upload URL. */
  async putWorkspaceFile(path, content, { contentType, ...options } = {}) {
    const bytes = await toBytes(content);
    const type = contentType === void 0 ? {} : { content_type: contentType };
    if (bytes.length <= DIRECT_MAX_BYTES) {
      const headers = { "X-Workspace-Path": path, "X-Workspace-Content-Type": contentType ?? "application/octet-stream" };
      return this.storeWorkspaceFile(bytes, { ...options, headers });
    }
    const { onProgress, timeoutMs: _, ...call } = options;
    const body = { path, expected_size_bytes: bytes.length, ...type };
    const { upload_url: url, storage_ref } = await this.createWorkspaceUploadUrl(body, call);
    await this.putWorkspaceUpload(url, bytes, { ...options, onProgress });
    return this.finalizeWorkspaceUpload({ path, storage_ref, ...type }, call);
  }
  /** Sends any request by its `operationId`, and returns status and headers with the data. Use it for `If-None-Match` and ETags. */
  request(id, input) {
    return this.core.request(id, input);
  }
  /** Sends any request by its `operationId`, and returns a response whose body is read in pieces. */
  open(id, input) {
    return this.core.open(id, input);
  }
  /** Returns the URL of any operation, for a link. */
  url(id, input = {}) {
    return this.core.url(id, input);
  }
};

// ../sdk/src/node/work-folder.ts
import { readdir, readFile as readFile2, realpath, stat } from "node:fs/promises";
import { join as join2, relative, sep } from "node:path";

// ../../src/domain/secret-files.ts
var EXAMPLES = /(^|\.)(example|sample|template|dist)(\.|$)/i;
var SECRET_NAMES = [
  /^\.env(\..*)?$/i,
  /^[\w.-]+\.env$/i,
  /^\.envrc$/i,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/i,
  /^\.(npmrc|netrc|pypirc|git-credentials|htpasswd|pgpass|dev\.vars(\..*)?)$/i,
  /^_netrc$/i,
  /^credentials(\.(json|csv|ya?ml|toml|ini))?$/i,
  /^service[-_]?account[\w.-]*\.json$/i,
  /^secrets?\.(ya?ml|json|toml|env|ini)$/i,
  /\.tfstate(\.backup)?$/i,
  /\.tfvars(\.json)?$/i,
  /^client_secret[\w.-]*\.json$/i,
  /^application_default_credentials\.json$/i,
  /^[\w.-]*firebase-adminsdk[\w.-]*\.json$/i,
  /^kubeconfig(\.ya?ml)?$/i,
  /^\.(vault-token|s3cfg|boto|my\.cnf|mylogin\.cnf)$/i,
  /\.ovpn$/i
];
var SECRET_FOLDERS = /(^|\/)\.(ssh|aws|gnupg|azure|kube)\//i;
var SECRET_PATHS = /(^|\/)\.docker\/config\.json$/i;
function isSecretPath(path) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (SECRET_FOLDERS.test(path) || SECRET_PATHS.test(path)) return true;
  return !EXAMPLES.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
}
var TOKENS = [
  "svc_(?:sk_[0-9a-f]{64}|op_[0-9a-f]{32}|admin_[0-9a-f]{64})",
  "AKIA[0-9A-Z]{16}",
  "gh[pousr]_[A-Za-z0-9]{36}",
  "github_pat_[A-Za-z0-9_]{60}",
  "glpat-[A-Za-z0-9_-]{20}",
  "npm_[A-Za-z0-9]{36}",
  "pypi-AgE[A-Za-z0-9_-]{50}",
  "xox[abprs]-[A-Za-z0-9-]{20}",
  "sk_live_[A-Za-z0-9]{24}",
  "sk-(?:ant|proj)-[A-Za-z0-9_-]{20}",
  "AIza[A-Za-z0-9_-]{35}"
];
var SECRET_TEXT = new RegExp(`(?:^|[^\\w])(?:${TOKENS.join("|")})|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----`);
function containsSecret(text) {
  return SECRET_TEXT.test(text);
}

// ../../src/domain/work-files.ts
var NEVER_SENT = /* @__PURE__ */ new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".DS_Store",
  "Thumbs.db",
  ".bountyignore",
  ".bounty.json"
]);
var GENERATED_FOLDERS = /* @__PURE__ */ new Set([
  "__pycache__",
  ".venv",
  ".tox",
  ".nox",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".ipynb_checkpoints",
  ".gradle",
  ".terraform",
  ".next",
  ".nuxt",
  ".svelte-kit",
  ".turbo",
  ".parcel-cache",
  ".wrangler"
]);

// ../sdk/src/node/ignore-rules.ts
import { readFile } from "node:fs/promises";
import { join } from "node:path";
var FILES = [".gitignore", ".bountyignore"];
async function readRules(parent, { folder, prefix }) {
  const texts = await Promise.all(FILES.map((name) => readRuleFile(join(folder, name))));
  const rules = texts.flatMap((text) => text === null ? [] : parseRules(text));
  return rules.length === 0 ? parent : [...parent, { prefix, rules }];
}
async function readRuleFile(path) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EISDIR")) return null;
    throw error;
  }
}
function isIgnored(rules, path, { isFolder }) {
  let ignored = false;
  for (const { prefix, rules: own } of rules) {
    const relative3 = path.slice(prefix.length);
    for (const { pattern, isNegated, isForFolders } of own) {
      if (ignored === isNegated && (isFolder || !isForFolders) && pattern.test(relative3)) ignored = !isNegated;
    }
  }
  return ignored;
}
function parseRules(text) {
  return text.replace(/^\ufeff/, "").split(/\r?\n/).flatMap((line) => parseLine(line) ?? []);
}
function parseLine(line) {
  const trimmed = line.replace(/(\\ ) +$/, "$1").replace(/(?<!\\) +$/, "");
  if (trimmed === "" || trimmed.startsWith("#")) return null;
  const isNegated = trimmed.startsWith("!");
  const positive = isNegated ? trimmed.slice(1) : trimmed;
  const isForFolders = positive.endsWith("/");
  const path = isForFolders ? positive.slice(0, -1) : positive;
  const start = path.includes("/") ? "" : "(?:[^/]+/)*";
  const glob = path.startsWith("/") ? path.slice(1) : path;
  const translated = translate(glob);
  if (glob === "" || translated === null) return null;
  return { pattern: new RegExp(`^${start}${translated}$`, "isu"), isNegated, isForFolders };
}
var PIECE = /(\*+)|(\?)|\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]|\\(.)|([^*?[\\])/suy;
var ANY_FOLDERS = "(?:[^/]+/)*";
function translate(glob) {
  let result = "";
  for (let at = 0; at < glob.length; ) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(glob);
    if (piece === null) return null;
    const end = at + piece[0].length;
    const isForFolders = piece[0] === "**" && isAtEdge(glob, at - 1) && isAtEdge(glob, end);
    if (!isForFolders) result += translatePiece(piece);
    else if (end === glob.length) result += ".+";
    else if (!result.endsWith(ANY_FOLDERS)) result += ANY_FOLDERS;
    at = isForFolders ? end + 1 : end;
  }
  return result;
}
function translatePiece([, stars, question, negation, members, escaped, plain = ""]) {
  if (stars !== void 0) return "[^/]*";
  if (question !== void 0) return "[^/]";
  if (members !== void 0) return `(?!/)[${negation === "" ? "" : "^"}${escapeMembers(members)}]`;
  return escapeLiteral(escaped ?? plain);
}
function isAtEdge(glob, index) {
  return index < 0 || index >= glob.length || glob[index] === "/";
}
function escapeLiteral(character) {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
function escapeMembers(members) {
  return members.replace(/(\\?.)-(\\?.)|\\?./gsu, (whole, first, last) => {
    if (first === void 0 || last === void 0) return escapeMember(whole);
    const range = `${escapeMember(first)}-${escapeMember(last)}`;
    return (first.at(-1) ?? "") <= (last.at(-1) ?? "") ? range : escapeMember(first);
  });
}
function escapeMember(member) {
  const character = member.length > 1 && member.startsWith("\\") ? member.slice(1) : member;
  return /[\\^\][-]/.test(character) ? `\\${character}` : character;
}

// ../sdk/src/node/work-folder.ts
var MAX_BYTES2 = 300 * 1024 * 1024;
var MAX_SEARCHED_BYTES = 1024 * 1024;
async function readWorkFolder(folder, options = {}) {
  const found = await stat(folder).catch((error) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw new BountyUsageError(`${folder} does not exist.`);
    throw error;
  });
  if (!found.isDirectory()) throw new BountyUsageError(`${folder} is not a folder.`);
  const reading = new Reading(await realpath(folder), options);
  await reading.readFolder("", []);
  await reading.resolveLinks();
  return reading;
}
var Reading = class {
  files = /* @__PURE__ */ new Map();
  secrets = [];
  links = [];
  generated = [];
  ignored = 0;
  totalBytes = 0;
  #root;
  #options;
  #marker;
  #linkPaths = [];
  constructor(root, options) {
    this.#root = root;
    this.#options = options;
    this.#marker = options.apiKey === void 0 ? null : Buffer.from(options.apiKey);
  }
  async readFolder(prefix, outer) {
    const folder = join2(this.#root, prefix);
    const rules = await readRules(outer, { folder, prefix });
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
      this.#options.signal?.throwIfAborted();
      if (!NEVER_SENT.has(entry.name)) await this.#readEntry(entry, { path: prefix + entry.name, rules });
    }
  }
  async #readEntry(entry, { path, rules }) {
    const isFolder = entry.isDirectory();
    if (isIgnored(rules, path, { isFolder })) this.ignored += 1;
    else if (isFolder && GENERATED_FOLDERS.has(entry.name)) this.generated.push(path);
    else if (this.#options.filter?.(isFolder ? `${path}/` : path) === false) return;
    else if (isFolder) await this.readFolder(`${path}/`, rules);
    else if (entry.isSymbolicLink()) this.#linkPaths.push(path);
    else if (entry.isFile()) await this.#readFile(path);
  }
  /**
   * Follows the links to files that were read. Any other link could lead to a secret, an ignored file, or anything on this machine.
   * Call it after all folders.
   */
  async resolveLinks() {
    for (const path of this.#linkPaths) {
      const target = await realpath(join2(this.#root, path)).catch(() => null);
      const source = target === null ? "" : relative(this.#root, target).split(sep).join("/");
      const content = this.files.get(source);
      if (this.secrets.includes(source) || content !== void 0 && this.#isSecretName(path)) this.secrets.push(path);
      else if (content === void 0) this.links.push(path);
      else this.#add(path, content);
    }
  }
  async #readFile(path) {
    if (this.#isSecretName(path)) {
      this.secrets.push(path);
      return;
    }
    const place = join2(this.#root, path);
    this.#assertSize((await stat(place)).size);
    const content = await readFile2(place);
    if (this.#options.includeSecrets !== true && this.#hasSecret(content)) this.secrets.push(path);
    else this.#add(path, new Uint8Array(content));
  }
  #isSecretName(path) {
    return this.#options.includeSecrets !== true && isSecretPath(path);
  }
  #hasSecret(content) {
    if (this.#marker !== null && content.includes(this.#marker)) return true;
    const text = content.length > MAX_SEARCHED_BYTES ? null : decodeUtf8(content);
    return text !== null && containsSecret(text);
  }
  #assertSize(more) {
    if (this.totalBytes + more <= MAX_BYTES2) return;
    throw new BountyUsageError(`The folder has more than ${MAX_BYTES2 / 1024 / 1024} MB. Leave files out with .bountyignore.`);
  }
  #add(path, content) {
    this.#assertSize(content.length);
    this.totalBytes += content.length;
    this.files.set(path, content);
    this.#options.onFile?.(this.files.size);
  }
};

// ../../src/domain/durations.ts
var SECOND_MS = 1e3;
var MINUTE_MS = 60 * SECOND_MS;
var HOUR_MS = 60 * MINUTE_MS;
var DAY_MS = 24 * HOUR_MS;

// ../../src/domain/formats.ts
var dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
var instants = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
var numbers = new Intl.NumberFormat("en-US");
var days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

// ../sdk/src/node.ts
var BountyClient2 = class extends BountyClient {
  #apiKey;
  /**
   * @param options Without `baseUrl` and `apiKey`, `BOUNTY_URL` and `BOUNTY_API_KEY` of the environment count.
   * @throws BountyUsageError for a wrong option, such as a `baseUrl` with plain http that is not loopback.
   */
  constructor(options = {}) {
    const baseUrl = options.baseUrl ?? process.env["BOUNTY_URL"];
    if (baseUrl === void 0 || baseUrl === "") throw new BountyUsageError("Pass baseUrl, or set BOUNTY_URL to the platform's URL.");
    const apiKey = options.apiKey ?? (options.baseUrl === void 0 ? process.env["BOUNTY_API_KEY"] || void 0 : void 0);
    super({ ...options, baseUrl, apiKey });
    this.#apiKey = apiKey;
  }
  /**
   * Works like the portable client's. A string is the path of a folder, of a zip, or of a single file. The client leaves out of a
   * folder what ignore files name, what looks like a secret, and what tools make again.
   */
  async submit(taskId, work, options = {}) {
    const { filter, includeSecrets, ...rest } = options;
    return super.submit(taskId, await this.#read(work, { filter, includeSecrets, signal: rest.signal }), rest);
  }
  /** Works like the portable client's. A string is a path, as in `submit`. */
  async check(taskId, work, { filter, includeSecrets, ...rest } = {}) {
    return super.check(taskId, await this.#read(work, { filter, includeSecrets, signal: rest.signal }), rest);
  }
  async #read(work, options) {
    if (typeof work !== "string") return work;
    const found = await stat2(work).catch((error) => {
      throw new BountyUsageError(`${work} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (!found.isDirectory()) return readSingle(work);
    const folder = await readWorkFolder(work, { ...options, apiKey: this.#apiKey });
    warnOfLeftOut(folder);
    return folder.files;
  }
};
async function readSingle(path) {
  const bytes = new Uint8Array(await readFile3(path));
  const name = path.split(/[/\\]/).at(-1) ?? path;
  const isZip2 = bytes[0] === 80 && bytes[1] === 75 && name.toLowerCase().endsWith(".zip");
  return isZip2 ? bytes : /* @__PURE__ */ new Map([[name, bytes]]);
}
function warnOfLeftOut({ secrets, links }) {
  if (secrets.length > 0) {
    process.emitWarning(`Left out because they look like secrets: ${secrets.join(", ")}. includeSecrets sends them.`, "BountyWarning");
  }
  if (links.length > 0) process.emitWarning(`Links that are not followed: ${links.join(", ")}`, "BountyWarning");
}

// src/comment.ts
import { readFile as readFile4 } from "node:fs/promises";
var MARK = "<!-- bounty-platform -->";
var PER_PAGE = 100;
async function writeComment(env, { token, summary }) {
  const number = await readPullRequest(env);
  if (number === null) return false;
  const api = env["GITHUB_API_URL"] ?? "https://api.github.com";
  const repository = `/repos/${env["GITHUB_REPOSITORY"]}`;
  const call = async ({ method, path, body: body2 }) => {
    const response = await fetch(api + repository + path, {
      method,
      redirect: "error",
      headers: { Authorization: `Bearer ${token}`, Accept: "application/vnd.github+json", "Content-Type": "application/json" },
      ...body2 === void 0 ? {} : { body: JSON.stringify(body2) }
    });
    if (!response.ok)
      throw new Error(`GitHub rejects the comment with status ${response.status}. The job needs the permission pull-requests: write.`);
    return response.json();
  };
  const body = { body: `${MARK}
${summary}` };
  const listed = await call({ method: "GET", path: `/issues/${number}/comments?per_page=${PER_PAGE}` });
  const earlier = Array.isArray(listed) ? listed.find(isOwn) : void 0;
  if (isRecord(earlier)) await call({ method: "PATCH", path: `/issues/comments/${earlier["id"]}`, body });
  else await call({ method: "POST", path: `/issues/${number}/comments`, body });
  return true;
}
function isOwn(comment2) {
  if (!isRecord(comment2) || !isRecord(comment2["user"]) || typeof comment2["id"] !== "number") return false;
  return comment2["user"]["type"] === "Bot" && String(comment2["body"]).startsWith(MARK);
}
async function readPullRequest(env) {
  const path = env["GITHUB_EVENT_PATH"];
  if (path === void 0) return null;
  const event = JSON.parse(await readFile4(path, "utf8"));
  const number = isRecord(event) && isRecord(event["pull_request"]) ? event["pull_request"]["number"] : void 0;
  return typeof number === "number" ? number : null;
}

// src/inputs.ts
import { realpath as realpath2 } from "node:fs/promises";
import { relative as relative2, resolve, sep as sep2 } from "node:path";
var TASK = /(?:^|\/tasks\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#]|$)/i;
async function readInputs(env) {
  const text = (name) => (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
  const required = (name) => {
    if (text(name) === "") throw new BountyUsageError(`The input ${name} is required.`);
    return text(name);
  };
  const taskId = TASK.exec(required("task-id"))?.[1];
  if (taskId === void 0) throw new BountyUsageError("The input task-id must be the id of a task.");
  const isCommenting = isTrue("comment", text("comment"));
  return {
    url: required("url"),
    apiKey: required("api-key"),
    taskId,
    ...await findFolder(env, text("path") || "."),
    minimumScore: readNumber("minimum-score", text("minimum-score"), 100),
    isCheckOnly: isTrue("check-only", text("check-only")),
    skipsUnchanged: isTrue("skip-unchanged", text("skip-unchanged") || "true"),
    commentToken: isCommenting ? required("github-token") : null,
    timeoutMs: (readNumber("timeout-minutes", text("timeout-minutes"), 1440) ?? 30) * 6e4
  };
}
function isTrue(name, text) {
  if (!["", "true", "false"].includes(text)) throw new BountyUsageError(`The input ${name} must be true or false.`);
  return text === "true";
}
function readNumber(name, text, most) {
  if (text === "") return null;
  const value = Number(text);
  if (/^\d{1,4}(\.\d+)?$/.test(text) && value <= most) return value;
  throw new BountyUsageError(`The input ${name} must be a number from 0 to ${most}.`);
}
async function findFolder(env, path) {
  const workspace = await realpath2(env["GITHUB_WORKSPACE"] ?? ".");
  const folder = await realpath2(resolve(workspace, path)).catch(() => {
    throw new BountyUsageError(`The input path names ${path}, which does not exist.`);
  });
  const inside = relative2(workspace, folder).split(sep2).join("/");
  if (inside === ".." || inside.startsWith("../") || resolve(workspace, inside) !== folder) {
    throw new BountyUsageError("The input path must lead to a folder inside of the workspace.");
  }
  return { folder, prefix: inside === "" ? "" : `${inside}/` };
}

// src/report.ts
import { appendFile } from "node:fs/promises";
var MAX_ANNOTATIONS = 40;
function annotate({ level, message, title, file, line, endLine }) {
  const properties = { file, line, endLine, title };
  const given = Object.entries(properties).filter(([, value]) => value !== void 0);
  const list = given.map(([name, value]) => `${name}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`);
  return `::${level}${list.length === 0 ? "" : ` ${list.join(",")}`}::${escapeData(message)}
`;
}
function escapeData(text) {
  return clean(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
function logLine(text) {
  return `bounty: ${clean(text).replace(/\s+/g, " ").replaceAll("##[", "## [")}
`;
}
function clean(text) {
  return text.replace(/(?![\n\r\t])[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, "");
}
function annotateEvidence({ dimensions }, prefix) {
  const found = dimensions.flatMap(
    ({ criterion_name: name, score, reasoning, checks = [] }) => checks.flatMap(({ evidence }) => evidence).map(({ path, start, end }) => ({
      level: score < 50 ? "warning" : "notice",
      title: `${name}: ${score} of 100`,
      message: reasoning,
      file: prefix + path,
      ...{ line: start, endLine: end }
    }))
  );
  return found.slice(0, MAX_ANNOTATIONS);
}
function annotateCheck({ problems, warnings, files }, prefix) {
  const known = new Set(files.map(({ path }) => path));
  const at = (path) => known.has(path) ? { file: prefix + path } : {};
  return [
    ...problems.map(
      ({ path, message }) => ({ level: "error", message: path === "" ? message : `${path}: ${message}`, ...at(path) })
    ),
    ...warnings.map(
      ({ path, message }) => ({ level: "warning", message: path === "" ? message : `${path}: ${message}`, ...at(path) })
    )
  ].slice(0, MAX_ANNOTATIONS);
}
var NO_OUTPUTS = { "submission-id": "", score: "", rank: "", status: "", "remaining-slots": "", unchanged: "false" };
function outputsOf({ id, scores, position, status, quota }, { isUnchanged }) {
  return {
    "submission-id": id,
    score: String(scores?.final_score ?? ""),
    rank: String(position ?? ""),
    status,
    "remaining-slots": String(quota.remaining),
    unchanged: String(isUnchanged)
  };
}
async function writeReport(env, { outputs, summary }) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${String(value).replace(/\s+/g, " ")}
`);
  if (env["GITHUB_OUTPUT"]) await appendFile(env["GITHUB_OUTPUT"], lines.join(""));
  if (env["GITHUB_STEP_SUMMARY"]) await appendFile(env["GITHUB_STEP_SUMMARY"], `${summary}
`);
}
function summarize(submission, { url, isUnchanged }) {
  const { id, task_id: taskId, status, scores, position, quota, dimensions, error_message: error } = submission;
  const origin = new URL(url).origin;
  const rows = dimensions.map(
    ({ criterion_name: name, score, weight }) => `| ${escapeMarkup(name)} | ${escapeMarkup(String(score))} | ${escapeMarkup(String(weight))} % |`
  );
  const reasons = dimensions.map(({ criterion_name: name, reasoning }) => `- ${escapeMarkup(name)}: ${escapeMarkup(reasoning)}`);
  return [
    scores === null ? `## Bounty: ${escapeMarkup(status)}` : `## Bounty: ${escapeMarkup(String(scores.final_score))} of 100`,
    "",
    ...isUnchanged ? ["The files are those of an earlier submission, so no slot was used.", ""] : [],
    ...error === void 0 ? [] : [escapeMarkup(error), ""],
    ...rows.length === 0 ? [] : ["| Criterion | Score | Weight |", "|---|---:|---:|", ...rows, ""],
    ...reasons.length === 0 ? [] : ["<details><summary>Reasons</summary>", "", ...reasons, "", "</details>", ""],
    `[Submission](${origin}/console/my-submissions/${toPathPart(id)}) to [the task](${origin}/tasks/${toPathPart(taskId)})${position === null ? "" : `, rank ${escapeMarkup(String(position))}`}. Slots left: ${escapeMarkup(String(quota.remaining))}.`
  ].join("\n");
}
function toPathPart(id) {
  return id.replace(/[^\w-]/g, "");
}
function summarizeCheck({ ok, problems, warnings }) {
  const line = ({ path, message }) => `- ${path === "" ? "" : `${escapeMarkup(path)}: `}${escapeMarkup(message)}`;
  return [
    `## Bounty: ${ok ? "the files can be submitted" : "the files would be rejected"}`,
    "",
    ...problems.length === 0 ? [] : ["Problems:", "", ...problems.map(line), ""],
    ...warnings.length === 0 ? [] : ["Warnings:", "", ...warnings.map(line), ""]
  ].join("\n");
}
function escapeMarkup(value) {
  return clean(value).replace(/\s+/g, " ").replace(/[\\`*_{}[\]()#+!|<>~&@:-]/g, (character) => `&#${character.charCodeAt(0)};`);
}

// src/run.ts
var EXIT = { done: 0, failed: 1, usage: 2, key: 3, missing: 4, rejected: 5, check: 6, judging: 7, score: 8, away: 9 };
async function runAction(env, { version, write }) {
  try {
    const inputs = await readInputs(env);
    write(`::add-mask::${inputs.apiKey}
`);
    const client = new BountyClient2({
      baseUrl: inputs.url,
      apiKey: inputs.apiKey,
      userAgent: `bounty-action/${version}`,
      onRetry: ({ delayMs, error }) => write(logLine(`${messageOf(error)} Trying again in ${Math.ceil(delayMs / 1e3)} s.`))
    });
    const ending = await finish(client, inputs, write);
    await writeReport(env, ending);
    if (inputs.commentToken !== null) await comment(env, { token: inputs.commentToken, summary: ending.summary }, write);
    return ending.exitCode;
  } catch (error) {
    const message = messageOf(error);
    write(annotate({ level: "error", message: error instanceof BountyApiError ? `${message} (${error.code})` : message }));
    await writeReport(env, { outputs: NO_OUTPUTS, summary: "## Bounty\n\nNothing was submitted. The log of the step says why." });
    return exitCodeOf(error);
  }
}
async function comment(env, given, write) {
  try {
    const isWritten = await writeComment(env, given);
    if (!isWritten) write(logLine("There is no pull request to comment on."));
  } catch (error) {
    write(annotate({ level: "warning", message: messageOf(error) }));
  }
}
async function finish(client, inputs, write) {
  const work = await readWorkFolder(inputs.folder, { apiKey: inputs.apiKey });
  announce(work, inputs, write);
  if (inputs.isCheckOnly) return check2(client, { inputs, work, write });
  try {
    const { taskId, skipsUnchanged } = inputs;
    const { id, isUnchanged } = await submitChanged(client, { taskId, files: work.files, isAgain: !skipsUnchanged });
    const waiting = await client.waitForSubmission(id, { timeoutMs: inputs.timeoutMs });
    return judge(waiting, { inputs, isUnchanged, write });
  } catch (error) {
    if (!(error instanceof BountyCheckError)) throw error;
    return endCheck(error.check, { inputs, write });
  }
}
function announce({ files, secrets, links, generated }, { prefix }, write) {
  write(logLine(`${files.size} files`));
  if (generated.length > 0) write(logLine(`Left out because tools make them again: ${generated.join(", ")}`));
  for (const path of secrets) {
    write(annotate({ level: "warning", file: prefix + path, message: `${path} looks like a secret and was left out.` }));
  }
  if (links.length > 0) write(logLine(`Links that are not followed: ${links.join(", ")}`));
}
async function check2(client, { inputs, work, write }) {
  return endCheck(await client.check(inputs.taskId, work.files), { inputs, write });
}
function endCheck(found, { inputs, write }) {
  for (const each of annotateCheck(found, inputs.prefix)) write(annotate(each));
  const outputs = { ...NO_OUTPUTS, status: found.ok ? "checked" : "rejected" };
  return { exitCode: found.ok ? EXIT.done : EXIT.check, outputs, summary: summarizeCheck(found) };
}
function judge(submission, { inputs, isUnchanged, write }) {
  const { scores, status, position, quota, error_message: error } = submission;
  for (const each of annotateEvidence(submission, inputs.prefix)) write(annotate(each));
  const outputs = outputsOf(submission, { isUnchanged });
  const summary = summarize(submission, { url: inputs.url, isUnchanged });
  if (scores === null || status !== "completed") {
    write(annotate({ level: "error", message: `Judging ended with ${status}${error === void 0 ? "." : `: ${error}`}` }));
    return { exitCode: EXIT.judging, outputs, summary };
  }
  write(
    logLine(`score ${scores.final_score}, rank ${position ?? "none"}, slots left ${quota.remaining}${isUnchanged ? ", unchanged" : ""}`)
  );
  if (inputs.minimumScore === null || scores.final_score >= inputs.minimumScore) return { exitCode: EXIT.done, outputs, summary };
  write(annotate({ level: "error", message: `The score ${scores.final_score} is below ${inputs.minimumScore}.` }));
  return { exitCode: EXIT.score, outputs, summary };
}
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
function exitCodeOf(error) {
  if (!(error instanceof BountyApiError)) return error instanceof Error && error.name === "BountyUsageError" ? EXIT.usage : EXIT.failed;
  const { status } = error;
  if (status === 401 || status === 403) return EXIT.key;
  if (status === 404) return EXIT.missing;
  return status === 408 || status === 429 || status >= 500 ? EXIT.away : EXIT.rejected;
}

// src/main.ts
process.exitCode = await runAction(process.env, { version: "0.1.0", write: (text) => process.stdout.write(text) });
