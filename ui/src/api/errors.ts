// What a refused call says, in one form, whichever route it came from.

export interface Diagnostic {
  severity?: string;
  message: string;
  hint?: string;
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
  offset?: number;
  length?: number;
  picture?: string;
}

export interface ErrorBody {
  code?: number;
  message?: string;
  detail?: unknown;
  hint?: string;
  requestId?: string;
  diagnostics?: Diagnostic[];
}

export class ApiError extends Error {
  readonly status: number;
  readonly hint: string;
  readonly detail: string;
  readonly requestId: string;
  readonly diagnostics: Diagnostic[];
  /** Seconds after which the same call may succeed, where the service said so. */
  readonly retryAfter: number | null;

  constructor(status: number, body: ErrorBody, retryAfter: number | null = null) {
    super(body.message || words(status));
    this.name = "ApiError";
    this.status = status;
    this.hint = body.hint ?? "";
    this.detail = typeof body.detail === "string" ? body.detail : "";
    this.requestId = body.requestId ?? "";
    this.diagnostics = body.diagnostics ?? [];
    this.retryAfter = retryAfter;
  }

  get isMissing(): boolean {
    return this.status === 404;
  }
}

/** The call was given up by whoever made it. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TypeError) {
    return new ApiError(0, { message: "the service cannot be reached", hint: "look whether it runs, then try again" });
  }
  return new ApiError(0, { message: error instanceof Error ? error.message : String(error) });
}

function words(status: number): string {
  return status === 0 ? "the service cannot be reached" : `the service answered with ${status}`;
}
