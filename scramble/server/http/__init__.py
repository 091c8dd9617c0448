"""The HTTP and WebSocket server: hypercorn's protocol code with our own connections and worker."""
