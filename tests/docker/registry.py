"""A registry of images on the loopback: as much of the distribution API as a pull needs."""
import base64
import gzip
import hashlib
import http.server
import json
import threading


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Registry:
    """images: {name: tar of a root file system}; each has the tag latest."""

    def __init__(self, images):
        self.blobs, self.manifests, self.needed = {}, {}, None
        for name, tar in images.items():
            layer = gzip.compress(tar, 1, mtime=0)
            config = json.dumps({"architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/usr/bin:/bin", "FROM=registry"]},
                                 "rootfs": {"type": "layers", "diff_ids": [digest(tar)]}, "history": [{"created_by": "test"}]}).encode()
            kind = "application/vnd.docker.distribution.manifest.v2+json"
            manifest = json.dumps({"schemaVersion": 2, "mediaType": kind,
                                   "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(config), "digest": digest(config)},
                                   "layers": [{"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", "size": len(layer),
                                               "digest": digest(layer)}]}).encode()
            for data in (layer, config):
                self.blobs[digest(data)] = data
            self.manifests[name, "latest"] = self.manifests[name, digest(manifest)] = (kind, manifest)
        self.listen()

    def require(self, user, password):
        self.needed = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    def listen(self):
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, status, kind, data, **more):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
                for name, value in more.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def do_GET(self):
                words = self.path.split("?")[0].strip("/").split("/")
                if registry.needed and self.headers.get("Authorization") != registry.needed:
                    said = json.dumps({"errors": [{"code": "UNAUTHORIZED", "message": "authentication required"}]}).encode()
                    return self.reply(401, "application/json", said, WWW_Authenticate='Basic realm="test"')
                if words == ["v2"]:
                    return self.reply(200, "application/json", b"{}")
                if len(words) == 4 and words[2] == "manifests" and (words[1], words[3]) in registry.manifests:
                    kind, data = registry.manifests[words[1], words[3]]
                    return self.reply(200, kind, data, Docker_Content_Digest=digest(data))
                if len(words) == 4 and words[2] == "blobs" and words[3] in registry.blobs:
                    return self.reply(200, "application/octet-stream", registry.blobs[words[3]], Docker_Content_Digest=words[3])
                said = json.dumps({"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}).encode()
                return self.reply(404, "application/json", said)

            do_HEAD = do_GET

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
