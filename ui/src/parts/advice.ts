// What somebody can do about a refused or failed call, where the service itself has no hint. Without the interface's state,
// so that each case can be tried by itself.

import type { ApiError } from "../api/errors.ts";

export function adviceOn(error: ApiError): string {
  if (error.hint) return error.message.includes(error.hint) ? "" : error.hint;
  switch (error.status) {
    case 0:
      return "";
    case 401:
      return "sign in again, then try once more";
    case 403:
      return "ask somebody who runs this organisation for the capability";
    case 404:
      return "it was deleted, or the link is not right";
    case 409:
    case 412:
      return "somebody else was faster; load the page again to see what there is now";
    case 413:
      return "send less at once";
    case 429:
      return "other queries are running; it can be asked again in a moment";
    case 430:
      return "the month's allowance is used up";
    case 432:
      return "ask for a shorter range, fewer groups or fewer fields";
    case 502:
    case 503:
      return "the service is starting or has too much to do; try again in a moment";
    case 504:
      return "ask for a shorter range";
    default:
      return error.status >= 500
        ? "try again; where it stays like that, the log of the service has the request's id with the reason"
        : "";
  }
}
