// The worker of a page.

import { serve } from "./serve.js";

serve(
  (listener) => addEventListener("message", (event) => listener(event.data)),
  (message) => postMessage(message),
);
