"""The HTTP and WebSocket server: hypercorn's protocol code on connections and a worker of our own."""
